import {
  iteratorName,
  namedSchemas,
  pascalCase,
  routeKeyOf,
  type NamedSchemas,
  type Schema,
  type SdkMethod,
  type SdkModel,
} from './model';
import { isRecord, TypeWriter } from './python-types';
import { docstring, isIdentifier, literal, NOTICE, snakeCase } from './python-words';

/** The words in which the two clients differ. */
interface Flavour {
  prefix: string;
  module: string;
  transport: string;
  define: string;
  wait: string;
  file: string;
  iterator: string;
  allPages: string;
  followEvents: string;
}
export const sync: Flavour = {
  prefix: '',
  module: 'pages',
  transport: 'Transport',
  define: 'def',
  wait: '',
  file: 'HeraldFile',
  iterator: 'Iterator',
  allPages: 'all_pages',
  followEvents: 'follow_events',
};
export const asynchronous: Flavour = {
  prefix: 'Async',
  module: 'pages',
  transport: 'AsyncTransport',
  define: 'async def',
  wait: 'await ',
  file: 'AsyncHeraldFile',
  iterator: 'AsyncIterator',
  allPages: 'all_pages_async',
  followEvents: 'follow_events_async',
};

export function apiFile(model: SdkModel, flavour: Flavour): string {
  const named = namedSchemas(model);
  const { groups } = model;
  const classes = groups.map(({ name, methods }) => {
    const members = methods.flatMap((method) => {
      const list = argumentsOf(method, named);
      return [apiMethod(method, list, flavour), ...(method.items ? [iterator(method, list, flavour)] : [])];
    });
    return `class ${flavour.prefix}${pascalCase(name)}Api:
    def __init__(self, transport: ${flavour.transport}) -> None:
        self._transport = transport

${members.join('\n')}`;
  });
  const made = groups.map(
    ({ name }) => `        self.${snakeCase(name)} = ${flavour.prefix}${pascalCase(name)}Api(transport)\n`,
  );
  return `${NOTICE}from __future__ import annotations

${flavour === sync ? '' : 'from contextlib import aclosing\n'}from typing import Any, ${flavour.iterator}, Callable, Dict, List, Literal, Optional, Union, cast

from .._file import ${flavour.file}
from .._options import OMIT, Omit, RequestOptions, given, path_of
from .._pages import ${flavour.allPages}
from .._stream import StreamedEvent, ${flavour.followEvents}
from .._transport import ${flavour.transport}
from . import types


${classes.join('\n\n')}

class ${flavour.prefix}HeraldApi:
    """Every route of the service, by resource."""

    def __init__(self, transport: ${flavour.transport}) -> None:
${made.join('')}`;
}

interface Argument {
  /** In Python. */
  name: string;
  /** In the API. */
  field: string;
  type: string;
  optional: boolean;
  place: 'path' | 'whole body' | 'body' | 'query';
}

/** The fields of a JSON object and of the query are keywords; every other body is one argument. */
function argumentsOf(method: SdkMethod, named: NamedSchemas): Argument[] {
  const { body, query, textType, fileTypes } = method;
  const prefix = pascalCase(method.group) + pascalCase(method.name);
  const isSpread = body !== null && textType === null && fileTypes === null && isRecord(body);
  const keywords = [
    ...(isSpread ? keywordsOf(body, `${prefix}Body`, 'body', named) : []),
    ...(query ? keywordsOf(query, `${prefix}Query`, 'query', named) : []),
  ];
  const names = keywords.map(({ name }) => name);
  const clash = names.find((name, at) => names.indexOf(name) !== at || RESERVED.has(name));
  if (clash) throw new Error(`${routeKeyOf(method)}: the keyword ${clash} stands for two things`);
  const whole = { name: 'body', field: 'body', optional: false, place: 'whole body' as const };
  return [
    ...method.params.map((field): Argument => {
      const name = names.includes(field) ? `${snakeCase(method.group).replace(/s$/, '')}_${field}` : field;
      return { name, field, type: 'str', optional: false, place: 'path' };
    }),
    ...(body !== null && !isSpread ? [{ ...whole, type: wholeType(method, prefix) }] : []),
    ...(fileTypes
      ? [{ ...whole, name: 'content_type', type: `Literal[${fileTypes.map(literal).join(', ')}]` }]
      : []),
    ...keywords.sort((a, b) => Number(a.optional) - Number(b.optional)),
  ];
}

function wholeType({ textType, fileTypes }: SdkMethod, prefix: string): string {
  if (fileTypes) return 'bytes';
  return textType ? 'str' : `types.${prefix}Body`;
}

const RESERVED = new Set(['self', 'idempotency_key', 'request_options']);

function keywordsOf(schema: Schema, name: string, place: 'body' | 'query', named: NamedSchemas): Argument[] {
  const self = named.find(schema) ?? name;
  const writer = new TypeWriter(named, self, schema, 'types.');
  writer.declare(self, schema);
  return Object.keys(schema.properties ?? {}).map((field) => ({
    name: isIdentifier(field) ? field : `${field.replaceAll(/\W/g, '_')}_`,
    field,
    type: writer.fieldTypes.get(field) as string,
    optional: !schema.required?.includes(field),
    place,
  }));
}

function signature(list: Argument[], keyed: boolean): string {
  const positional = list.filter(({ place }) => place === 'path' || place === 'whole body');
  const keywords = list.filter(({ place }) => place === 'body' || place === 'query');
  const parameters = [
    'self',
    ...positional.map(({ name, type }) => `${name}: ${type}`),
    '*',
    ...keywords.map(({ name, type, optional }) =>
      optional ? `${name}: Union[${type}, Omit] = OMIT` : `${name}: ${type}`,
    ),
    ...(keyed ? ['idempotency_key: Optional[str] = None'] : []),
    'request_options: Optional[RequestOptions] = None',
  ];
  return `(\n${parameters.map((parameter) => `        ${parameter},\n`).join('')}    )`;
}

function apiMethod(method: SdkMethod, list: Argument[], flavour: Flavour): string {
  const { name, summary, description, response, path, httpMethod, keyed } = method;
  const returns = {
    json: `types.${pascalCase(method.group)}${pascalCase(name)}Response`,
    file: flavour.file,
    events: `${flavour.iterator}[StreamedEvent]`,
    nothing: 'None',
  }[response.kind];
  const entries = (place: 'body' | 'query') =>
    list
      .filter((argument) => argument.place === place)
      .map(({ field, name: own }) => `${literal(field)}: ${own}`);
  const [body, query] = [entries('body'), entries('query')];
  const pathText = method.params.reduce(
    (text, param) =>
      text.replace(
        `{${param}}`,
        `{path_of(${list.find(({ field, place }) => place === 'path' && field === param)?.name})}`,
      ),
    path,
  );
  const parts = [
    `"${httpMethod}"`,
    `${method.params.length > 0 ? 'f' : ''}"${pathText}"`,
    ...(query.length > 0 ? [`query=given({${query.join(', ')}})`] : []),
    ...sentBody(method, list, body),
    ...(keyed ? ['keyed=True', 'idempotency_key=idempotency_key'] : []),
    ...(response.kind === 'json' ? [] : [`returns="${response.kind === 'events' ? 'file' : response.kind}"`]),
    `options=${response.kind === 'events' ? 'options' : 'request_options'}`,
  ];
  const text = [`${summary}: \`${routeKeyOf(method)}\`.`, description].filter(Boolean).join('\n\n');
  if (response.kind === 'events') return streamMethod(method, list, flavour, { parts, text });
  const call = `${flavour.wait}self._transport.request(\n${parts.map((part) => `            ${part},\n`).join('')}        )`;
  const result = response.kind === 'nothing' ? call : `return cast(${returns}, ${call})`;
  return `    ${flavour.define} ${snakeCase(name)}${signature(list, keyed)} -> ${returns}:
        ${docstring(text, '        ')}        ${result}
`;
}

function sentBody(method: SdkMethod, list: Argument[], fields: string[]): string[] {
  if (method.fileTypes) return ['raw=(content_type, body)'];
  if (method.textType) return [`raw=(${literal(method.textType)}, body)`];
  if (method.body === null) return [];
  const isWhole = list.some(({ place }) => place === 'whole body');
  return [isWhole ? 'body=body' : `body=given({${fields.join(', ')}})`];
}

function streamMethod(
  method: SdkMethod,
  list: Argument[],
  flavour: Flavour,
  { parts, text }: { parts: string[]; text: string },
): string {
  const given = signature(list, false).replace(
    'request_options:',
    `last_event_id: Optional[str] = None,
        on_gap: Optional[Callable[[], None]] = None,
        request_options:`,
  );
  const events = `${flavour.followEvents}(
            lambda options: cast(Any, self._transport.request(${parts.join(', ')})),
            request_options,
            last_event_id,
            on_gap,
        )`;
  const result =
    flavour === sync
      ? `return ${events}`
      : `async with aclosing(${events}) as streamed:\n            async for event in streamed:\n                yield event`;
  return `    ${flavour.define} ${snakeCase(method.name)}${given} -> ${flavour.iterator}[StreamedEvent]:
        ${docstring(text, '        ')}        ${result}
`;
}

function iterator(method: SdkMethod, list: Argument[], flavour: Flavour): string {
  const name = snakeCase(iteratorName(method.name));
  const item = `types.${pascalCase(method.group)}${pascalCase(method.name)}Item`;
  const given = list
    .filter(({ name: own }) => own !== 'cursor')
    .map(({ name: own, place }) => (place === 'path' ? own : `${own}=${own}`));
  const fetchPage = [...given, 'cursor=next_cursor', 'request_options=request_options'].join(', ');
  return `    def ${name}${signature(list, false)} -> ${flavour.iterator}[${item}]:
        """All pages of \`${snakeCase(method.name)}\`, entry by entry."""
        return ${flavour.allPages}(
            lambda next_cursor: cast(Any, self.${snakeCase(method.name)}(${fetchPage})),
            cursor,
        )
`;
}
