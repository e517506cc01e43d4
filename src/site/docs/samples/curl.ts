import { KEY_VARIABLE, type SampleRequest } from './request';

export function curlSample({
  method,
  url,
  needsKey,
  headers,
  body,
  text,
  file,
  returns,
}: SampleRequest): string {
  const isDefault = method === ([body, text, file].every((each) => each === undefined) ? 'GET' : 'POST');
  const parts = [`curl ${isDefault ? '' : `-X ${method} `}${quoted(url)}`];
  if (needsKey) parts.push(`-H "Authorization: Bearer $${KEY_VARIABLE}"`);
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) {
    parts.push(`-H 'Content-Type: application/json'`, `-d ${quoted(bodyText(body))}`);
  }
  if (text !== undefined) parts.push(`--data-binary ${quoted(text)}`);
  if (file !== undefined) parts.push(`--data-binary ${quoted(`@${file}`)}`);
  if (returns === 'binary') parts.push('-o response');
  return parts.join(' \\\n  ');
}

function bodyText(body: unknown): string {
  const line = JSON.stringify(body);
  return line.length <= 60 ? line : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
