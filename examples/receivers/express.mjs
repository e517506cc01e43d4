// app.post('/webhooks', express.raw({ type: 'application/json' }), receive);
import { verifyWebhook, WebhookVerificationError } from 'herald-sdk';

export function receive(req, res) {
  try {
    const webhook = verifyWebhook(req.body, req.headers, process.env.HERALD_WEBHOOK_SECRET);
    console.log(webhook.deliveryId, webhook.event, webhook.data);
    res.statusCode = 204;
    res.end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    res.statusCode = 400;
    res.end('bad signature');
  }
}
