import { exampleBody } from './example';
import type { Operation } from './operations';
import type { SampleRequest } from './samples';
import type { SdkCall } from './samples/request';
import { sdkCall } from './samples/sdk-call';

/** The request that the samples of an operation show, made from its route. */
export function sampleRequest(operation: Operation, baseUrl: string): SampleRequest {
  const { method, path, scope, parameters, textType, fileTypes, response, mediaTypes } = operation;
  const type = textType ?? fileTypes[0];
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
    headers: type === undefined ? {} : { 'Content-Type': type },
    ...sentBody(operation),
    returns: response ? 'json' : returnsOf(mediaTypes),
  };
}

function sentBody(operation: Operation): Pick<SampleRequest, 'body' | 'text' | 'file'> {
  const { body, textType, fileTypes } = operation;
  if (fileTypes.length > 0) return { file: fileName(fileTypes) };
  if (textType !== undefined) return { text: textOf(operation) };
  return body ? { body: bodyOf(operation) } : {};
}

/** `logo.png` for image/png. */
function fileName([type = '']: string[]): string {
  return `logo.${type.split('/')[1]}`;
}

function returnsOf(mediaTypes: string[]): SampleRequest['returns'] {
  if (mediaTypes.includes('text/event-stream')) return 'events';
  return mediaTypes.length > 0 ? 'binary' : 'nothing';
}

export function bodyOf({ body }: Operation): unknown {
  return body && exampleBody(body);
}

/** The body as it is sent. */
export function textOf(operation: Operation): string {
  const body = bodyOf(operation);
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}
