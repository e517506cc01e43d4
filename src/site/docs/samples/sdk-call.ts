import type { Operation } from '../operations';
import type { SampleRequest, SdkCall } from './request';

type Called = Pick<Operation, 'method' | 'path' | 'sdk' | 'body' | 'textType' | 'fileTypes'>;

/** The call that makes this request; null if the operation is another one. */
export function sdkCall(
  { method, path, sdk, body, textType, fileTypes }: Called,
  request: Pick<SampleRequest, 'method' | 'url'>,
): SdkCall | null {
  const [target = '', query = ''] = request.url.replace(/^https?:\/\/[^/]+/, '').split('?');
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);
  const found = method === request.method ? pattern.exec(target) : null;
  if (!found) return null;
  return {
    ...sdk,
    params: found.slice(1),
    query: Object.fromEntries(query.split('&').filter(Boolean).map(parameter)),
    spread:
      textType === undefined &&
      fileTypes.length === 0 &&
      body?.['type'] === 'object' &&
      body['properties'] !== undefined &&
      typeof body['additionalProperties'] !== 'object',
  };
}

function parameter(text: string): [name: string, value: string | number] {
  const [name = '', value = ''] = text.split('=');
  return [name, /^\d+$/.test(value) ? Number(value) : value];
}

/** The headers of a request that are options of a call. */
export function callOptions(headers: Record<string, string>): {
  idempotencyKey: string | undefined;
  others: Record<string, string>;
} {
  const { 'Idempotency-Key': idempotencyKey, 'Content-Type': _, ...others } = headers;
  return { idempotencyKey, others };
}

/** The URL of the service in a sample. */
export function originOf({ url }: Pick<SampleRequest, 'url'>): string {
  return /^https?:\/\/[^/]+/.exec(url)?.[0] ?? '';
}
