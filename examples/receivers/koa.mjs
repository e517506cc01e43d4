// app.use(receive);
import { buffer } from 'node:stream/consumers';
import { isValid } from './verify.js';

export async function receive(ctx) {
  const body = await buffer(ctx.req);
  if (!isValid(body, ctx.get('X-Service-Signature'), process.env.HERALD_WEBHOOK_SECRET)) {
    ctx.throw(400, 'bad signature');
  }
  const { event, data } = JSON.parse(body);
  console.log(ctx.get('X-Service-Delivery-Id'), event, data);
  ctx.status = 204;
}
