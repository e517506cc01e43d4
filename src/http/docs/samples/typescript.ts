import { indentRest, isPlainName, KEY_VARIABLE, literal, type Notation, type SampleRequest } from './request';

const notation: Notation = {
  text: quoted,
  nothing: 'null',
  boolean: String,
  list: ['[', ']'],
  object: ['{', '}'],
  key: (name) => `${isPlainName(name) ? name : quoted(name)}: `,
  indent: 2,
};

export function typescriptSample({
  method,
  url,
  needsKey,
  headers,
  body,
  text,
  returns,
}: SampleRequest): string {
  const sent = [
    ...(needsKey ? [`Authorization: \`Bearer \${process.env.${KEY_VARIABLE}}\``] : []),
    ...Object.entries(headers).map(([name, value]) => notation.key(name) + quoted(value)),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(sent.length === 0 ? [] : [`headers: {\n${sent.map((line) => `    ${line},\n`).join('')}  }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indentRest(literal(body, notation), 2)})`]),
    ...(text === undefined ? [] : [`body: ${quoted(text)}`]),
  ];
  const call =
    options.length === 0
      ? `fetch(${quoted(url)})`
      : `fetch(${quoted(url)}, {\n${options.map((line) => `  ${line},\n`).join('')}})`;
  const result = {
    json: 'console.log(await response.json());',
    binary: 'const data = await response.arrayBuffer();',
    nothing: 'console.log(response.status);',
  }[returns];
  return `const response = await ${call};
if (!response.ok) throw new Error(await response.text());
${result}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
