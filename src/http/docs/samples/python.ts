import { indentRest, KEY_VARIABLE, literal, type Notation, type SampleRequest } from './request';

const notation: Notation = {
  text: JSON.stringify,
  nothing: 'None',
  boolean: (value) => (value ? 'True' : 'False'),
  list: ['[', ']'],
  object: ['{', '}'],
  key: (name) => `${JSON.stringify(name)}: `,
  indent: 4,
};

/** With `requests`, which sets the content type of `json` itself. */
export function pythonSample({ method, url, needsKey, headers, body, text, returns }: SampleRequest): string {
  const sent = [
    ...(needsKey ? [`"Authorization": f"Bearer {os.environ['${KEY_VARIABLE}']}"`] : []),
    ...Object.entries(headers).map(([name, value]) => notation.key(name) + notation.text(value)),
  ];
  const given = [
    notation.text(url),
    ...(sent.length === 0
      ? []
      : sent.length === 1
        ? [`headers={${sent[0]}}`]
        : [`headers={\n${sent.map((line) => `        ${line},\n`).join('')}    }`]),
    ...(body === undefined ? [] : [`json=${indentRest(literal(body, notation), 4)}`]),
    ...(text === undefined ? [] : [`data=${notation.text(text)}`]),
    'timeout=30',
  ];
  const result = { json: 'print(response.json())', binary: 'data = response.content', nothing: '' }[returns];
  return [
    ...(needsKey ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...given.map((line) => `    ${line},`),
    ')',
    'response.raise_for_status()',
    ...(result === '' ? [] : [result]),
  ].join('\n');
}
