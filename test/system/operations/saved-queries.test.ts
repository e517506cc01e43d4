import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';

const page = readFileSync(path.join(__dirname, '..', '..', '..', 'docs', 'operations.md'), 'utf8');
const table = page.slice(page.indexOf('Useful saved views'), page.indexOf('is always accurate'));
const queries = [...table.matchAll(/^\| [^|]+\| `([^`]+)`/gm)].map(([, query]) => query ?? '');

let connection: Connection;
beforeAll(async () => {
  connection = await Connection.connect({ address: process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '' });
});
afterAll(() => connection?.close());

test('the saved queries are there', () => {
  expect(queries.length).toBeGreaterThanOrEqual(8);
});

test.each(queries)('the Temporal server understands %s', async (query) => {
  const filled = query.replace('…', randomUUID()).replace(/<[^>]+>/, new Date().toISOString());
  const { count } = await new Client({ connection }).workflow.count(filled);
  expect(Number.isInteger(count)).toBe(true);
});
