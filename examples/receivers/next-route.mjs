// app/webhooks/route.js
import { verifyWebhook, WebhookVerificationError } from 'herald-sdk';

export async function POST(request) {
  const body = Buffer.from(await request.arrayBuffer());
  try {
    const webhook = verifyWebhook(body, request.headers, process.env.HERALD_WEBHOOK_SECRET);
    console.log(webhook.deliveryId, webhook.event, webhook.data);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response('bad signature', { status: 400 });
    throw error;
  }
}
