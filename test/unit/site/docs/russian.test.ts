import { routeSpecs } from '../../../../sdk/generator/routes';
import { errorTable } from '../../../../src/base/contract/errors';
import { eventRegistry, eventTypes } from '../../../../src/domains/events/contract';
import { fieldWords } from '../../../../src/site/docs/field-words';
import { listOperations } from '../../../../src/site/docs/operations';
import { noteOf } from '../../../../src/site/docs/reference';
import { catalogues, hashOf, type Catalogue } from '../../../../src/site/docs/russian';
import type { Json } from '../../../../src/site/docs/samples/request';
import { fieldLines } from '../../../../src/site/docs/schema-fields';
import type { Route } from '../../../../src/base/http/route';

const operations = listOperations(routeSpecs().map((spec) => ({ spec }) as Route));

/** An English sentence, and the id of the place where it stands. */
type Place = [id: string, sentence: string];

/** The descriptions of a table of fields, as the pages read them. */
function descriptions(id: string, schema: Json | undefined): Place[] {
  if (!schema) return [];
  const words = { ...fieldWords.en, description: (text: string) => `«${text}»` };
  return fieldLines(schema, words).flatMap(({ name, description }): Place[] => {
    const [, text] = /«([^]*)»/.exec(description) ?? [];
    return text === undefined ? [] : [[`${id}.${name}`, text]];
  });
}

function dataOf(schema: unknown): Json | undefined {
  return (schema as { properties: Record<string, Json> }).properties['data'];
}

const places: Record<keyof typeof catalogues, Place[]> = {
  errors: Object.entries(errorTable).flatMap(([code, { text, help }]): Place[] => [
    [`${code}.text`, text],
    [`${code}.help`, help],
  ]),
  events: Object.entries(eventRegistry).map(([name, { summary }]) => [name, summary]),
  fields: [
    ...eventTypes().flatMap(({ name, schema }) => descriptions(name, dataOf(schema))),
    ...operations.flatMap(({ id, parameters, body, response }) => [
      ...parameters.flatMap(({ name, schema }) => descriptions(id, { properties: { [name]: schema } })),
      ...descriptions(`${id}.body`, body),
      ...descriptions(`${id}.response`, response),
    ]),
  ],
  notes: operations.map(({ id, description }): Place => [id, description]).filter(([, text]) => text !== ''),
  resources: operations.map(({ tag }) => [tag, tag]),
  summaries: operations.map(({ id, summary }) => [id, summary]),
};

const catalogueNames = Object.keys(catalogues) as (keyof typeof catalogues)[];

test.each(catalogueNames)('src/site/docs/ru/%s.json has every sentence of today, and no other', (name) => {
  const catalogue: Catalogue = catalogues[name];
  const keys = places[name].map(([id, sentence]) => ({ key: `${id}#${hashOf(sentence)}`, sentence }));
  const translated = new Set(Object.keys(catalogue).map((key) => key.split('#')[1]));
  const there = new Set(keys.map(({ key }) => key));
  expect(keys.length).toBeGreaterThan(20);
  expect({
    missing: keys.filter(({ sentence }) => !translated.has(hashOf(sentence))),
    stale: Object.keys(catalogue).filter((key) => !there.has(key)),
  }).toEqual({ missing: [], stale: [] });
  expect(translated.size).toBe(Object.keys(catalogue).length);
});

/** What is the same in every language: numbers, and names in backticks. */
function facts(text: string): string[] {
  const codes = text.match(/`[^`]+`/g) ?? [];
  const numbers = text.replaceAll(/(?<=\d)[,\s](?=\d{3})/g, '').match(/\d+/g) ?? [];
  return [...new Set([...codes, ...numbers])].sort();
}

test('Russian descriptions have the numbers and names of the English ones', () => {
  expect(facts('Up to 20,000 of `data`.')).toEqual(['20000', '`data`']);
  const different = (['fields', 'notes'] as const).flatMap((name) => {
    const catalogue: Catalogue = catalogues[name];
    return places[name]
      .map(([id, english]) => [english, catalogue[`${id}#${hashOf(english)}`]] as const)
      .filter(
        ([english, russian]) => russian !== undefined && String(facts(english)) !== String(facts(russian)),
      );
  });
  expect(different).toEqual([]);
});

test('tables of fields and notes are Russian only in the Russian reference', () => {
  const operation = operations.find(({ id }) => id === 'post_v1_webhooks')!;
  const url = (language: 'en' | 'ru') => fieldLines(operation.body!, fieldWords[language])[0]!.description;
  expect([url('en'), noteOf(operation, 'en')]).toEqual([
    expect.stringMatching(/^An https URL/),
    operation.description,
  ]);
  expect([url('ru'), noteOf(operation, 'ru')]).toEqual([
    expect.stringMatching(/^URL с https/),
    expect.stringMatching(/^В проекте/),
  ]);
});
