import { routeSpecs } from '../../../../sdk/generator/routes';
import { eventTypes } from '../../../../src/events/contract';
import { fieldWords } from '../../../../src/http/docs/field-words';
import { listOperations } from '../../../../src/http/docs/operations';
import { noteOf } from '../../../../src/http/docs/reference';
import { russianFields } from '../../../../src/http/docs/ru/fields';
import { russianNotes } from '../../../../src/http/docs/ru/notes';
import { russianResources } from '../../../../src/http/docs/ru/resources';
import { russianSummaries } from '../../../../src/http/docs/ru/summaries';
import type { Json } from '../../../../src/http/docs/samples/request';
import { fieldLines } from '../../../../src/http/docs/schema-fields';
import type { Route } from '../../../../src/http/route';

const operations = listOperations(routeSpecs().map((spec) => ({ spec }) as Route));

/** The descriptions that tables of fields show, read as the pages read them. */
function descriptions(): string[] {
  const shown = new Set<string>();
  const words = {
    ...fieldWords.en,
    description: (text: string) => {
      shown.add(text);
      return text;
    },
  };
  const parameters = operations.flatMap((operation) =>
    operation.parameters.map(({ name, schema }) => ({ type: 'object', properties: { [name]: schema } })),
  );
  const bodies = operations.flatMap(({ body, response }) => [body ?? [], response ?? []].flat());
  const events = eventTypes().map(({ schema }) => schema as Json);
  for (const schema of [...parameters, ...bodies, ...events]) fieldLines(schema, words);
  return [...shown];
}

const tables: [file: string, table: Readonly<Record<string, string>>, used: string[]][] = [
  ['fields', russianFields, descriptions()],
  ['notes', russianNotes, operations.map(({ description }) => description).filter(Boolean)],
  ['summaries', russianSummaries, operations.map(({ id }) => id)],
  ['resources', russianResources, operations.map(({ tag }) => tag)],
];

test.each(tables)('src/http/docs/ru/%s.ts has everything that the reference shows, and no more', (...row) => {
  const [, table, used] = row;
  expect(used.length).toBeGreaterThan(20);
  const names = new Set(used);
  expect({
    missing: [...names].filter((name) => !(name in table)),
    unused: Object.keys(table).filter((name) => !names.has(name)),
  }).toEqual({ missing: [], unused: [] });
});

/** What is the same in every language: numbers, and names in backticks. */
function facts(text: string): string[] {
  const codes = text.match(/`[^`]+`/g) ?? [];
  const numbers = text.replaceAll(/(?<=\d)[,\s](?=\d{3})/g, '').match(/\d+/g) ?? [];
  return [...new Set([...codes, ...numbers])].sort();
}

test('Russian descriptions have the numbers and names of the English ones', () => {
  const translated = Object.entries({ ...russianFields, ...russianNotes });
  expect(facts('Up to 20,000 of `data`.')).toEqual(['20000', '`data`']);
  expect(
    translated.filter(([english, russian]) => String(facts(english)) !== String(facts(russian))),
  ).toEqual([]);
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
