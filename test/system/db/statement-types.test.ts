import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { readStatements, type Kind, type Statement } from '../../support/sql-statements';

/**
 * Each call of `rows`, `row`, `change`, … says what the columns of its statement are, which TypeScript cannot check. PostgreSQL
 * describes every statement here, and its columns and parameters are compared with the types at the call. Whether a column
 * can be null is not compared: the server does not know it of a statement.
 */

/** Statements whose text is only known at run time. */
const ASSEMBLED = [
  // Of the rules of all rooms: test/system/operations/retention.test.ts runs each of them.
  /^src\/base\/db\/retention\.ts /,
  // Of the encrypted columns of all rooms: test/system/cli/rotate-encryption.test.ts.
  /^src\/base\/db\/sealed-values\.ts /,
  // Of the personal data of all rooms: test/system/subscribers/personal-data.test.ts.
  /^src\/domains\/subscribers\/queries\/personal-data\.ts `held_/,
];

/** Statements whose values are a list that a caller passes, or that grows with the request: only their columns are compared. */
const LISTED_ELSEWHERE = [
  'src/base/db/counts.ts name',
  'src/domains/drip/queries/sync.ts name',
  'src/domains/helpdesk/queries/tickets.ts name',
  'src/domains/helpdesk/queries/tickets.ts text',
  "src/domains/login/queries/log.ts filter.sessionId === undefined ? 'list_sessions' : 'find_logged_session'",
  'src/domains/login/queries/personal-data.ts name',
  "src/domains/oidc/queries/clients.ts `update_oidc_client_${sha256(names.join()).toString('hex').slice(0, 16)}`",
  "src/domains/projects/queries/projects.ts `update_project_${sha256(names.join()).toString('hex').slice(0, 16)}`",
  "src/domains/subscribers/queries/records.ts `${filter.q === undefined ? 'list' : 'search'}_subscribers${filter.uuids ? '_of_",
  "src/domains/subscribers/queries/subscriptions.ts 'refresh_subscriber'",
];

/** A text of each type. What the driver makes of it is what a caller gets. */
const SAMPLES: Record<string, string> = {
  bool: 't',
  bytea: '\\x00',
  date: '2020-01-01',
  float4: '1.5',
  float8: '1.5',
  int2: '1',
  int4: '1',
  int8: '1',
  interval: '1 day',
  timestamptz: '2020-01-01 00:00:00+00',
};

/** What a caller may pass for a parameter of each type. Others are texts. */
const ACCEPTED: Record<string, Kind[]> = {
  bool: ['boolean'],
  bytea: ['Buffer'],
  date: ['Date', 'string'],
  float4: ['number'],
  float8: ['number'],
  int2: ['number'],
  int4: ['number'],
  int8: ['number', 'string'],
  json: ['object', 'string'],
  jsonb: ['object', 'string'],
  numeric: ['number', 'string'],
  timestamptz: ['Date', 'string'],
};

interface Description {
  parameters: string[];
  columns: Map<string, Kind>;
}

let database: TestDatabase;
let client: pg.Client;
let typeNames: Map<number, string>;
let statements: Statement[];

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ oid: number; typname: string }>('SELECT oid, typname FROM pg_type');
  typeNames = new Map(rows.map(({ oid, typname }) => [oid, typname]));
  statements = readStatements();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

/** The parts of the driver's connection that describe a statement, which its types leave out. */
interface Connection {
  parse(statement: { text: string }): void;
  describe(which: { type: 'S' }): void;
  sync(): void;
  once(event: 'parameterDescription', listener: (message: { dataTypeIDs: number[] }) => void): void;
}

/** Asks the server for the parameters and columns of a statement, without running it. */
function describeStatement(text: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    const found: Description = { parameters: [], columns: new Map() };
    const query = {
      submit(connection: Connection) {
        connection.once('parameterDescription', ({ dataTypeIDs }) => {
          found.parameters = dataTypeIDs.map(nameOf);
        });
        connection.parse({ text });
        connection.describe({ type: 'S' });
        connection.sync();
      },
      handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
        for (const { name, dataTypeID } of fields) found.columns.set(name, kindOfColumn(dataTypeID));
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(found),
    };
    client.query(query as unknown as pg.Submittable);
  });
}

const nameOf = (oid: number) => typeNames.get(oid) ?? String(oid);

function kindOfColumn(oid: number): Kind {
  const name = nameOf(oid);
  const element = name.replace(/^_/, '');
  if (/^jsonb?$/.test(element)) return name === element ? 'any' : 'any[]';
  const sample = SAMPLES[element] ?? 'a';
  const parse = pg.types.getTypeParser(oid) as (text: string) => unknown;
  return kindOf(parse(name === element ? sample : `{${JSON.stringify(sample)}}`));
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return `${kindOf(value[0])}[]`;
  if (value instanceof Date) return 'Date';
  return Buffer.isBuffer(value) ? 'Buffer' : typeof value;
}

const elementOf = (kind: Kind) => (kind.endsWith('[]') ? kind.slice(0, -2) : null);

/** Whether a value of one kind is one of the others. */
function fits(kind: Kind, others: readonly Kind[]): boolean {
  if (kind === 'any' || others.includes('any') || others.includes(kind)) return true;
  const element = elementOf(kind);
  return (
    element !== null &&
    fits(
      element,
      others.flatMap((other) => elementOf(other) ?? []),
    )
  );
}

function acceptedBy(type: string): Kind[] {
  const element = type.replace(/^_/, '');
  const accepted = ACCEPTED[element] ?? ['string'];
  return element === type ? accepted : accepted.map((kind) => `${kind}[]`);
}

/** What a call expects and passes against what the server says of its statement. */
function mistakesIn({ columns, values }: Statement, described: Description): string[] {
  const mistakes: string[] = [];
  for (const [name, { kinds, isOptional }] of columns) {
    const kind = described.columns.get(name);
    if (kind === undefined) {
      if (!isOptional) mistakes.push(`no column ${name}`);
    } else if (!fits(kind, [...kinds])) {
      mistakes.push(`column ${name} is ${kind}, not ${[...kinds].join(' | ')}`);
    }
  }
  if (values && values.length !== described.parameters.length) {
    mistakes.push(`${described.parameters.length} parameters, not ${values.length}`);
  }
  values?.forEach((kinds, index) => {
    const type = described.parameters[index] ?? 'text';
    for (const kind of kinds) {
      if (!fits(kind, acceptedBy(type))) mistakes.push(`parameter $${index + 1} is ${type}, not ${kind}`);
    }
  });
  return mistakes;
}

async function mistakesOf(statement: Statement): Promise<string[]> {
  const mistakes = new Set<string>();
  for (const text of statement.texts ?? []) {
    const found = await describeStatement(text).then(
      (described) => mistakesIn(statement, described),
      (error: Error) => [error.message],
    );
    for (const mistake of found) mistakes.add(`${statement.place}: ${mistake}`);
  }
  return [...mistakes];
}

describe('a statement', () => {
  it('has the columns and parameters that its caller expects', async () => {
    const mistakes: string[] = [];
    for (const statement of statements) mistakes.push(...(await mistakesOf(statement)));
    expect(mistakes).toEqual([]);
  });

  it('is read here, unless it is listed', () => {
    const unread = statements.filter(({ texts }) => texts === null).map(({ place }) => place);
    expect(unread.filter((place) => !ASSEMBLED.some((known) => known.test(place)))).toEqual([]);
    expect(ASSEMBLED.filter((known) => !unread.some((place) => known.test(place)))).toEqual([]);
    const partly = statements.filter(({ texts, values }) => texts !== null && values === null);
    expect(partly.map(({ place }) => place).sort()).toEqual(LISTED_ELSEWHERE);
    expect(statements.length).toBeGreaterThan(600);
  });

  it('is reported for a column or parameter of another name, type or number', async () => {
    const column = (kind: Kind) => ({ kinds: new Set([kind]), isOptional: false });
    const statement: Statement = {
      place: 'here',
      texts: [
        'SELECT id AS renamed, created_at, $2::int AS count FROM projects WHERE id = $1',
        'SELECT gone FROM projects',
      ],
      columns: new Map(
        Object.entries({ id: column('string'), created_at: column('string'), count: column('number') }),
      ),
      values: [new Set(['number']), new Set(['number']), new Set(['string'])],
    };
    expect(await mistakesOf(statement)).toEqual([
      'here: no column id',
      'here: column created_at is Date, not string',
      'here: 2 parameters, not 3',
      'here: parameter $1 is uuid, not number',
      'here: column "gone" does not exist',
    ]);
  });
});
