/*
 * What of an OpenAPI document a client of an earlier release can rely on, and what of it a later document has broken.
 * docs/stability.md says the same in words.
 */

type Json = Record<string, unknown>;
/** A request is written by clients and a response is read by them: what may grow in one may not in the other. */
type Direction = 'request' | 'response';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const SCHEMA_WORDS = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'allOf',
  'enum',
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
];

/** Routes that exist for pages of Herald itself; docs/stability.md names them as not promised. */
const OWN_PAGES: readonly RegExp[] = [
  /^\/dashboard\//,
  /^\/login\/\{token\}\//,
  /^\/mini\//,
  /^\/v1\/(webhooks|messages|forms)\/stats$/,
  /^\/v1\/helpdesk\/(counts|agents)$/,
  /^\/v1\/webhooks\/filter-preview$/,
];

/** The part of a document that is promised: no texts, no examples, no routes of Herald's own pages. */
export function promised(document: Json): Json {
  const { paths, webhooks } = withoutReferences(document, document) as { paths: Json; webhooks: Json };
  const kept = Object.entries(paths).filter(([path]) => !OWN_PAGES.some((pattern) => pattern.test(path)));
  return { paths: mapped(Object.fromEntries(kept), operations), webhooks: mapped(webhooks, operations) };
}

/** The document with each named schema written where it is used. */
function withoutReferences(value: unknown, document: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...others } = value as Json;
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(String($ref)) ?? [];
  const { schemas } = (document['components'] ?? {}) as { schemas?: Record<string, Json> };
  const whole = name === undefined ? value : { ...schemas?.[name], ...others };
  return Object.fromEntries(
    Object.entries(whole).map(([key, each]) => [key, withoutReferences(each, document)]),
  );
}

const mapped = (of: Json, change: (value: Json) => unknown): Json =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value as Json)]));

const operations = (item: Json): Json =>
  Object.fromEntries(
    METHODS.filter((method) => method in item).map((method) => [method, operation(item[method] as Json)]),
  );

function operation({ parameters = [], requestBody, responses = {} }: Json): Json {
  const successes = Object.entries(responses as Json).filter(([status]) => status.startsWith('2'));
  return {
    parameters: Object.fromEntries(
      (parameters as Json[]).map(({ in: place, name, required = false, schema }) => [
        `${String(place)} ${String(name)}`,
        { required, schema: shape(schema) },
      ]),
    ),
    ...(requestBody
      ? {
          request: {
            required: (requestBody as Json)['required'] ?? false,
            content: contents(requestBody as Json),
          },
        }
      : {}),
    responses: Object.fromEntries(
      successes.map(([status, response]) => [status, contents(response as Json)]),
    ),
  };
}

const contents = ({ content = {} }: Json): Json => mapped(content as Json, ({ schema }) => shape(schema));

function shape(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema as Json).filter(([word]) => SCHEMA_WORDS.includes(word));
  return Object.fromEntries(
    kept.map(([word, value]) => {
      if (word === 'properties') return [word, mapped(value as Json, shape)];
      if (Array.isArray(value)) {
        return [word, value.map((each: unknown) => (word.endsWith('Of') ? shape(each) : each))];
      }
      return [word, word === 'items' || word === 'additionalProperties' ? shape(value) : value];
    }),
  );
}

/** Sentences about everything in the later document that a client of the earlier one would stumble over. */
export function breakingChanges(earlier: Json, later: Json): string[] {
  const found: string[] = [];
  for (const part of ['paths', 'webhooks']) {
    for (const [path, item] of Object.entries(earlier[part] as Json)) {
      for (const [method, before] of Object.entries(item as Json)) {
        const name = `${method.toUpperCase()} ${path}`;
        const after = ((later[part] as Json)[path] as Json | undefined)?.[method];
        if (after === undefined) found.push(`${name} is gone`);
        // An event is a request that Herald makes: its reader is the project.
        else found.push(...operationChanges(name, before as Json, after as Json, part === 'webhooks'));
      }
    }
  }
  return found;
}

interface Body {
  required: boolean;
  content: Json;
}

function operationChanges(name: string, before: Json, after: Json, isEvent: boolean): string[] {
  const found: string[] = [];
  const parameters = after['parameters'] as Record<string, { required: boolean; schema: unknown }>;
  for (const [parameter, { schema }] of Object.entries(before['parameters'] as typeof parameters)) {
    const now = parameters[parameter];
    if (!now) found.push(`${name}: ${parameter} is gone`);
    else found.push(...schemaChanges(`${name}: ${parameter}`, schema, now.schema, 'request'));
  }
  for (const [parameter, { required }] of Object.entries(parameters)) {
    const was = (before['parameters'] as typeof parameters)[parameter];
    if (required && !was?.required) found.push(`${name}: ${parameter} is required now`);
  }
  const [was, is] = [before['request'] as Body | undefined, after['request'] as Body | undefined];
  if (is?.required && !was?.required && !isEvent) found.push(`${name}: the body is required now`);
  const direction = isEvent ? 'response' : 'request';
  found.push(...contentChanges(`${name}: body`, was?.content ?? {}, is?.content ?? {}, direction));
  for (const [status, content] of Object.entries(before['responses'] as Record<string, Json>)) {
    const now = (after['responses'] as Record<string, Json>)[status];
    if (!now) found.push(`${name}: the response ${status} is gone`);
    else found.push(...contentChanges(`${name}: response`, content, now, 'response'));
  }
  return found;
}

function contentChanges(name: string, before: Json, after: Json, direction: Direction): string[] {
  return Object.entries(before).flatMap(([type, schema]) =>
    type in after ? schemaChanges(name, schema, after[type], direction) : [`${name}: ${type} is gone`],
  );
}

function schemaChanges(name: string, before: unknown, after: unknown, direction: Direction): string[] {
  // A client sends what the earlier schema allows, or reads what the later one produces.
  const [from, to] = direction === 'request' ? [before, after] : [after, before];
  const alternatives = variants(from);
  const accepted = variants(to);
  if (alternatives.length > 1 || accepted.length > 1) {
    return alternatives.flatMap((alternative) => {
      const tried = accepted.map((each) => {
        const [one, other] = direction === 'request' ? [alternative, each] : [each, alternative];
        return objectChanges(name, one, other, direction);
      });
      const best = tried.sort((one, other) => one.length - other.length)[0];
      return best ?? [`${name}: nothing is accepted`];
    });
  }
  return objectChanges(name, before, after, direction);
}

/** Each type of a union for itself. */
function variants(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [schema];
  const { anyOf, oneOf, type } = schema as { anyOf?: unknown[]; oneOf?: unknown[]; type?: unknown };
  const several = anyOf ?? oneOf;
  if (several) return several.flatMap(variants);
  return Array.isArray(type) ? type.map((each: unknown) => ({ ...schema, type: each })) : [schema];
}

/** A bound that is tighter for what clients send. */
const UPPER = ['maxLength', 'maxItems', 'maximum'];
const LOWER = ['minLength', 'minItems', 'minimum'];

function objectChanges(name: string, before: unknown, after: unknown, direction: Direction): string[] {
  // {} and true: anything.
  const [was, is] = [schemaOf(before), schemaOf(after)];
  const found: string[] = [];
  if (was['type'] !== is['type']) {
    const isWider = direction === 'request' ? is['type'] === undefined : was['type'] === undefined;
    if (!isWider) return [`${name}: ${kind(was)} became ${kind(is)}`];
  }
  const [narrowed, wide] = direction === 'request' ? [is, was] : [was, is];
  const [values, others] = [valuesOf(narrowed), valuesOf(wide)];
  // A new value of a response is no break: docs/stability.md asks readers to expect it.
  if (direction === 'request' && values && others) {
    for (const value of others.filter((each) => !values.includes(each))) {
      found.push(`${name}: ${JSON.stringify(value)} is refused now`);
    }
  }
  if (direction === 'request' && values && !others) found.push(`${name}: only some values are accepted now`);
  if (direction === 'request') {
    for (const word of [...UPPER, ...LOWER]) {
      const [old, now] = [was[word] as number | undefined, is[word] as number | undefined];
      if (now === undefined) continue;
      const isTighter = UPPER.includes(word) ? now < (old ?? Infinity) : now > (old ?? -Infinity);
      if (isTighter) found.push(`${name}: ${word} is ${now} now`);
    }
    if (is['pattern'] !== undefined && is['pattern'] !== was['pattern']) {
      found.push(`${name}: another pattern`);
    }
  }
  const [old, now] = [propertiesOf(was), propertiesOf(is)];
  for (const [property, schema] of Object.entries(old)) {
    if (property in now) {
      found.push(...schemaChanges(`${name}.${property}`, schema, now[property], direction));
    } else if (is['additionalProperties'] === undefined || is['additionalProperties'] === false) {
      found.push(`${name}.${property} is gone`);
    }
  }
  const [requiredBefore, requiredNow] = [requiredOf(was), requiredOf(is)];
  if (direction === 'request') {
    for (const property of requiredNow.filter((each) => !requiredBefore.includes(each))) {
      found.push(`${name}.${property} is required now`);
    }
  } else {
    for (const property of requiredBefore.filter((each) => each in now && !requiredNow.includes(each))) {
      found.push(`${name}.${property} can be missing now`);
    }
  }
  if (was['items'] !== undefined && is['items'] !== undefined) {
    found.push(...schemaChanges(`${name}[]`, was['items'], is['items'], direction));
  }
  return found;
}

const schemaOf = (schema: unknown): Json =>
  typeof schema === 'object' && schema !== null ? (schema as Json) : {};
const propertiesOf = (schema: Json): Json => (schema['properties'] as Json | undefined) ?? {};
const requiredOf = (schema: Json): string[] => (schema['required'] as string[] | undefined) ?? [];
const kind = (schema: Json): string => String(schema['type'] ?? 'anything');

function valuesOf(schema: Json): unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return schema['enum'] as unknown[] | undefined;
}
