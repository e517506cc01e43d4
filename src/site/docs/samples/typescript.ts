import { isPlainName, KEY_VARIABLE, literal, type Notation, type SampleRequest } from './request';
import { callOptions, originOf } from './sdk-call';

const notation: Notation = {
  text: quoted,
  nothing: 'null',
  boolean: String,
  list: ['[', ']'],
  object: ['{', '}'],
  key: (name) => `${isPlainName(name) ? name : quoted(name)}: `,
  indent: 2,
};

/** A call of the SDK. */
export function typescriptSample(request: SampleRequest): string {
  const { call, needsKey, headers, body, text, file, returns } = request;
  const { idempotencyKey, others } = callOptions(headers);
  const hasOptions = idempotencyKey !== undefined || Object.keys(others).length > 0;
  const options = {
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(Object.keys(others).length > 0 ? { headers: others } : {}),
  };
  const given = [
    ...call.params.map(quoted),
    ...(file === undefined ? [] : [`await readFile(${quoted(file)})`, quoted(headers['Content-Type'] ?? '')]),
    ...(text !== undefined ? [quoted(text)] : body !== undefined ? [literal(body, notation)] : []),
    ...(Object.keys(call.query).length > 0 ? [literal(call.query, notation)] : []),
    ...(hasOptions ? [literal(options, notation)] : []),
  ];
  const settings = [
    `baseUrl: ${quoted(originOf(request))}`,
    ...(needsKey ? [`apiKey: process.env.${KEY_VARIABLE}`] : []),
  ];
  const stream = `herald.${call.group}.${call.name}(${given.join(', ')})`;
  const called = `await ${stream}`;
  const result = {
    json: `const result = ${called};\nconsole.log(result);`,
    binary: `const file = ${called};\nconst data = await file.bytes();`,
    events: `for await (const { event, data } of ${stream}) console.log(event, data);`,
    nothing: `${called};`,
  }[returns];
  const imports = file === undefined ? '' : `import { readFile } from 'node:fs/promises';\n`;
  return `${imports}import { Herald } from 'herald-sdk';

const herald = new Herald({
${settings.map((line) => `  ${line},\n`).join('')}});

${result}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}
