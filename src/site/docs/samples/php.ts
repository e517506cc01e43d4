import { indentRest, KEY_VARIABLE, literal, type Notation, type SampleRequest } from './request';

const notation: Notation = {
  text: quoted,
  nothing: 'null',
  boolean: String,
  list: ['[', ']'],
  object: ['[', ']'],
  key: (name) => `${quoted(name)} => `,
  indent: 4,
};

export function phpSample({
  method,
  url,
  needsKey,
  headers,
  body,
  text,
  file,
  returns,
}: SampleRequest): string {
  const sent = [
    ...(needsKey ? [`'Authorization: Bearer ' . getenv('${KEY_VARIABLE}')`] : []),
    ...Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}`)),
    ...(body === undefined ? [] : [`'Content-Type: application/json'`]),
  ];
  const options = [
    'CURLOPT_RETURNTRANSFER => true',
    ...(method === 'GET' ? [] : [`CURLOPT_CUSTOMREQUEST => '${method}'`]),
    ...(sent.length === 0
      ? []
      : [`CURLOPT_HTTPHEADER => [\n${sent.map((line) => `        ${line},\n`).join('')}    ]`]),
    ...(body === undefined ? [] : [`CURLOPT_POSTFIELDS => json_encode(${bodyOf(body)})`]),
    ...(text === undefined ? [] : [`CURLOPT_POSTFIELDS => ${quoted(text)}`]),
    ...(file === undefined ? [] : [`CURLOPT_POSTFIELDS => file_get_contents(${quoted(file)})`]),
  ];
  return [
    '<?php',
    '',
    `$request = curl_init(${quoted(url)});`,
    'curl_setopt_array($request, [',
    ...options.map((line) => `    ${line},`),
    ']);',
    '$response = curl_exec($request);',
    returns === 'json'
      ? 'print_r(json_decode($response, true));'
      : 'echo curl_getinfo($request, CURLINFO_RESPONSE_CODE);',
  ].join('\n');
}

/** An empty array of PHP would be sent as a list. */
function bodyOf(body: unknown): string {
  const isEmpty = typeof body === 'object' && body !== null && Object.keys(body).length === 0;
  return isEmpty ? 'new stdClass()' : indentRest(literal(body, notation), 4);
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
