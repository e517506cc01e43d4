// app.post('/webhooks', express.raw({ type: 'application/json' }), receive);
import { isValid } from './verify.js';

export function receive(req, res) {
  const signature = req.headers['x-service-signature'];
  if (!isValid(req.body, signature, process.env.HERALD_WEBHOOK_SECRET)) {
    res.statusCode = 400;
    return res.end('bad signature');
  }
  const { event, data } = JSON.parse(req.body);
  console.log(req.headers['x-service-delivery-id'], event, data);
  res.statusCode = 204;
  res.end();
}
