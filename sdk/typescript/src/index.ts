export { Herald } from './client';
export { HeraldConnectionError, HeraldError } from './errors';
export { HeraldFile } from './file';
export type { StreamedEvent, StreamOptions } from './stream';
export type { Bytes, HeraldOptions, RequestOptions } from './transport';
export type { WaitOptions } from './wait';
export {
  verifySignature,
  WebhookVerificationError,
  type RequestHeaders,
  type VerificationFailure,
  type VerifyOptions,
} from './signature';
export { isValidWebhook, verifyWebhook, type VerifiedWebhook, type WebhookEvent } from './webhooks';
export type * from './generated/types';
