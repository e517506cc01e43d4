// http.createServer(receive).listen(4500);
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'herald-sdk';

export async function receive(req, res) {
  const body = await buffer(req);
  try {
    const webhook = verifyWebhook(body, req.headers, process.env.HERALD_WEBHOOK_SECRET);
    console.log(webhook.deliveryId, webhook.event, webhook.data);
    res.writeHead(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    res.writeHead(400).end('bad signature');
  }
}
