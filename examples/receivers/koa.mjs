// app.use(receive);
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from 'herald-sdk';

export async function receive(ctx) {
  const body = await buffer(ctx.req);
  try {
    const webhook = verifyWebhook(body, ctx.headers, process.env.HERALD_WEBHOOK_SECRET);
    console.log(webhook.deliveryId, webhook.event, webhook.data);
    ctx.status = 204;
  } catch (error) {
    if (error instanceof WebhookVerificationError) ctx.throw(400, 'bad signature');
    throw error;
  }
}
