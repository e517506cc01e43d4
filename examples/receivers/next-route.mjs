// app/webhooks/route.js
import { isValid } from './verify.js';

export async function POST(request) {
  const body = Buffer.from(await request.arrayBuffer());
  if (!isValid(body, request.headers.get('x-service-signature'), process.env.HERALD_WEBHOOK_SECRET)) {
    return new Response('bad signature', { status: 400 });
  }
  const { event, data } = JSON.parse(body);
  console.log(request.headers.get('x-service-delivery-id'), event, data);
  return new Response(null, { status: 204 });
}
