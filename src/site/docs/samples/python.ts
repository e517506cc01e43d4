import { indentRest, KEY_VARIABLE, literal, type Notation, type SampleRequest } from './request';
import { callOptions, originOf } from './sdk-call';

const notation: Notation = {
  text: JSON.stringify,
  nothing: 'None',
  boolean: (value) => (value ? 'True' : 'False'),
  list: ['[', ']'],
  object: ['{', '}'],
  key: (name) => `${JSON.stringify(name)}: `,
  indent: 4,
};

const LINE = 88;

/** A call of the SDK. */
export function pythonSample(request: SampleRequest): string {
  const { call, needsKey, headers, body, text, file, returns } = request;
  const { idempotencyKey, others } = callOptions(headers);
  const keywords = {
    ...(call.spread && text === undefined ? (body as Record<string, unknown> | undefined) : {}),
    ...call.query,
    ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    ...(Object.keys(others).length > 0 ? { request_options: { headers: others } } : {}),
  };
  const whole = text ?? (call.spread ? undefined : body);
  const given = [
    ...call.params.map(notation.text),
    ...(file === undefined
      ? []
      : [`Path(${notation.text(file)}).read_bytes()`, notation.text(headers['Content-Type'] ?? '')]),
    ...(whole === undefined ? [] : [literal(whole, notation)]),
    ...Object.entries(keywords).map(([name, value]) => `${name}=${literal(value, notation)}`),
  ];
  const name = `${snakeCase(call.group)}.${snakeCase(call.name)}`;
  const settings = [
    `base_url=${notation.text(originOf(request))}`,
    ...(needsKey ? [`api_key=os.environ["${KEY_VARIABLE}"]`] : []),
  ];
  const result = {
    json: `result = ${called(`herald.${name}`, given)}\nprint(result)`,
    binary: `data = ${called(`herald.${name}`, given)}.read()`,
    events: `for streamed in ${called(`herald.${name}`, given)}:\n    print(streamed.event, streamed.data)`,
    nothing: called(`herald.${name}`, given),
  }[returns];
  const imports = [
    ...(needsKey ? ['import os'] : []),
    ...(file === undefined ? [] : ['from pathlib import Path']),
  ];
  return [
    ...(imports.length > 0 ? [...imports, ''] : []),
    'from herald_sdk import Herald',
    '',
    `herald = ${called('Herald', settings)}`,
    '',
    result,
  ].join('\n');
}

/** On one line where it is short, otherwise one argument a line. */
function called(name: string, given: string[]): string {
  const line = `${name}(${given.join(', ')})`;
  if (line.length <= LINE && !line.includes('\n')) return line;
  return `${name}(\n${given.map((argument) => `    ${indentRest(argument, 4)},\n`).join('')})`;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
