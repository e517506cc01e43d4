import '../../../../src/domains/bots/registry';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { exampleBody, exampleResponse } from '../../../../src/site/docs/example';
import { fieldLines } from '../../../../src/site/docs/schema-fields';
import { jsonSchema } from '../../../../src/base/contract/json-schema';
import { sessionStatusSchema } from '../../../../src/domains/login/contract';
import { sendSchema } from '../../../../src/domains/messages/contract';
import { subscriberSchema } from '../../../../src/domains/subscribers/contract';
import { deliveryWithAttemptsSchema, newEndpointSchema } from '../../../../src/domains/webhooks/contract';

const linesOf = (schema: z.ZodType, io: 'input' | 'output' = 'input') => fieldLines(jsonSchema(schema, io));

describe('a table of fields', () => {
  it('has names by their path, types, limits, defaults and values', () => {
    const lines = linesOf(
      z.strictObject({
        name: z.string().min(1).max(64).describe('The name.'),
        count: z.number().int().min(1).max(10).default(3),
        kind: z.enum(['a', 'b']).nullable(),
        code: z.string().regex(/^[A-Z]{4}$/),
        rows: z.array(z.array(z.strictObject({ text: z.string().max(8) })).max(3)).optional(),
      }),
    );
    expect(
      lines.map(({ name, type, required, description, values }) => [
        name,
        type,
        required,
        description,
        values,
      ]),
    ).toEqual([
      ['name', 'string', true, 'The name. 1 to 64 characters.', []],
      ['count', 'integer', false, '1 to 10. Default: `3`.', []],
      ['kind', 'string or null', true, '', ['a', 'b']],
      ['code', 'string', true, 'Pattern: `^[A-Z]{4}$`.', []],
      ['rows', 'list of lists of objects', false, '', []],
      ['rows[][].text', 'string', true, 'At most 8 characters.', []],
    ]);
  });

  it('has a heading for each variant', () => {
    const headings = linesOf(sessionStatusSchema, 'output').filter(({ type }) => type === '');
    expect(headings.map(({ name }) => name)).toEqual([
      'If status is pending or expired or consumed:',
      'If status is declined:',
      'If status is confirmed:',
    ]);
  });

  it('shows the limits of the code', () => {
    const text = linesOf(sendSchema).find(({ name }) => name === 'text');
    expect(text?.description).toContain('At most 4000 characters.');
  });
});

describe('an example', () => {
  const ajv = new Ajv({ strict: false });
  addFormats(ajv);

  it.each([
    ['a subscriber', subscriberSchema],
    ['a delivery', deliveryWithAttemptsSchema],
    ['a status', sessionStatusSchema],
  ])('of %s fits its schema', (_name, schema) => {
    const json = jsonSchema(schema, 'output', 'examples');
    const validate = ajv.compile(json);
    expect(validate(exampleResponse(json)) ? [] : validate.errors).toEqual([]);
  });

  it('of a request is that of its schema, or has the required fields only', () => {
    const body = z.strictObject({
      url: z.url().meta({ examples: ['https://a.example'] }),
      test: z.boolean().optional(),
    });
    expect(exampleBody(jsonSchema(body, 'input', 'examples'))).toEqual({ url: 'https://a.example' });
    expect(exampleBody(jsonSchema(newEndpointSchema, 'input', 'examples'))).toEqual({
      url: 'https://shop.example.com/webhooks',
      events: ['auth.completed'],
    });
  });
});
