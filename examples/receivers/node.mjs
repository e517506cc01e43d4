import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'herald-sdk';

export async function receive(req, res) {
  try {
    const webhook = verifyWebhook(await buffer(req), req.headers, process.env.HERALD_WEBHOOK_SECRET);
    console.log(webhook.deliveryId, webhook.event, webhook.data);
    res.writeHead(204).end();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return res.writeHead(400).end('bad signature');
    console.error(error);
    res.writeHead(500).end();
  }
}

createServer(receive).listen(process.env.PORT ?? 4500, '127.0.0.1');
