import { bodyExamples } from './body-examples';
import type { Operation } from './operations';
import type { SampleRequest } from './samples';
import type { SdkCall } from './samples/request';
import { sdkCall } from './samples/sdk-call';
import { exampleBody } from './schema-example';

/** The request that the samples of an operation show, made from its route. */
export function sampleRequest(operation: Operation, baseUrl: string): SampleRequest {
  const { method, path, scope, parameters, body, textType, response, mediaTypes } = operation;
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name }) => `${name}=<${name}>`)
    .join('&');
  const url = `${baseUrl}${path.replaceAll(/\{(\w+)\}/g, '<$1>')}${query && `?${query}`}`;
  return {
    method,
    url,
    call: sdkCall(operation, { method, url }) as SdkCall,
    needsKey: scope !== undefined,
    headers: textType === undefined ? {} : { 'Content-Type': textType },
    ...(textType !== undefined ? { text: textOf(operation) } : body ? { body: bodyOf(operation) } : {}),
    returns: response ? 'json' : returnsOf(mediaTypes),
  };
}

function returnsOf(mediaTypes: string[]): SampleRequest['returns'] {
  if (mediaTypes.includes('text/event-stream')) return 'events';
  return mediaTypes.length > 0 ? 'binary' : 'nothing';
}

export function bodyOf({ id, body }: Operation): unknown {
  return bodyExamples[id] ?? (body && exampleBody(body));
}

/** The body as it is sent. */
export function textOf(operation: Operation): string {
  const body = bodyOf(operation);
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}
