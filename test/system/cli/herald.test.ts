import { execFileSync, spawnSync } from 'node:child_process';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { runHerald } from '../../support/npm-start';
import { formatSubscriberId } from '../../../src/base/contract/ids';
import { findProjectByKey } from '../../../src/domains/projects/queries/keys';
import { sha256 } from '../../../src/base/lib/tokens';
import { herald } from './fixture';

jest.setTimeout(120_000);

const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);

describe('the herald command', () => {
  let database: TestDatabase;
  let settings: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase();
    settings = { DATABASE_URL: database.url };
  });
  afterAll(() => database.drop());

  async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await herald([...args, '--json'], settings);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
    expect(stdout.trim().split('\n')).toHaveLength(1);
    return JSON.parse(stdout) as T;
  }

  /** One sentence on standard error, nothing on standard output, and an exit code that is not 0. */
  async function refusal(args: string[], env = settings): Promise<string> {
    const { code, stdout, stderr } = await herald(args, env);
    expect({ args, stdout, failed: code !== 0, lines: stderr.trim().split('\n').length }).toEqual({
      args,
      stdout: '',
      failed: true,
      lines: 1,
    });
    return stderr.trim();
  }

  it('creates a project with its first key, shown once', async () => {
    const created = await json<{ project_id: string; slug: string; api_key: string }>(
      ...['project', 'create', '--slug', 'shop', '--name', 'My shop'],
      ...['--callback-url', 'https://shop.example.com/callback?from=herald', '--plan', 'basic'],
    );
    expect(created).toEqual({
      project_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      slug: 'shop',
      api_key: expect.stringMatching(/^hk_[0-9A-Za-z]{40}$/),
    });
    expect(await findProjectByKey(database.pool, sha256(created.api_key))).toMatchObject({
      id: created.project_id,
      name: 'My shop',
      plan: 'basic',
      callback_url: 'https://shop.example.com/callback?from=herald',
    });
    expect(await json('project', 'show', 'shop')).toMatchObject({
      project_id: created.project_id,
      slug: 'shop',
      created_at: aTime,
    });
    const { rows } = await database.pool.query('SELECT encode(hash, $1) AS hash FROM api_keys', ['escape']);
    expect(JSON.stringify(rows)).not.toContain(created.api_key);
  });

  it('sets what an operator may set, and lists it', async () => {
    const { project_id } = await json('project', 'create', '--slug', 'change', '--name', 'Before');
    const changed = await json(
      ...['project', 'set', 'change', '--name', 'After', '--plan', 'basic', '--active', 'false'],
      ...['--requests-per-minute', '1000', '--events-per-minute', '60000', '--queued-deliveries', '500'],
      ...['--sessions-per-hour', '50', '--sessions-per-address', '9'],
      ...['--callback-url', 'https://a.example/cb', '--timezone', 'Asia/Tokyo', '--scheduled-entries', '7'],
      ...['--redirect-url', 'https://a.example/one', '--redirect-url', 'https://a.example/two'],
    );
    const expected = {
      slug: 'change',
      name: 'After',
      plan: 'basic',
      active: false,
      requests_per_minute: 1000,
      events_per_minute: 60_000,
      queued_deliveries: 500,
      sessions_per_hour: 50,
      sessions_per_address: 9,
      callback_url: 'https://a.example/cb',
      redirect_urls: ['https://a.example/one', 'https://a.example/two'],
      timezone: 'Asia/Tokyo',
      scheduled_entries: 7,
      created_at: aTime,
    };
    expect(changed).toMatchObject(expected);
    expect(await json<object[]>('project', 'list')).toContainEqual(expect.objectContaining(expected));
    expect(await json('project', 'set', 'change', '--active', 'true')).toMatchObject({
      ...expected,
      active: true,
    });
    const { rows } = await database.pool.query<{ changes: { field: string }[] }>(
      `SELECT changes FROM audit_entries WHERE project_id = $1 AND action = 'project.updated' ORDER BY at`,
      [project_id],
    );
    expect(rows[0]?.changes).toHaveLength(12);
    expect(rows[0]?.changes).toContainEqual({ field: 'scheduled_entries', before: null, after: 7 });
    expect(rows[1]?.changes).toEqual([{ field: 'active', before: false, after: true }]);
  });

  it('tells its version, as a user of a checkout runs it', async () => {
    const { code, stdout } = await runHerald(['--version'], {});
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
    const { stdout: json } = await runHerald(['--version', '--json'], {});
    const { version, commit } = JSON.parse(json) as { version: string; commit: string | null };
    expect(`${version}\n`).toBe(stdout);
    // Null without a checkout, as in a container that runs the tests.
    expect(commit ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}$/);
  });

  it('completes every command, option and listed value in bash, from the commands themselves', async () => {
    const { stdout: script } = await herald(['completion', 'bash'], settings);
    const complete = (...words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${script}\nshift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _herald; echo "\${COMPREPLY[*]}"`,
          '-',
          '-',
          'herald',
          ...words,
        ],
        { encoding: 'utf8' },
      )
        .trim()
        .split(' ');
    for (const path of [[], ['deliveries']]) {
      const { stdout: help } = await herald([...path, '--help'], settings);
      const commands = [...help.slice(help.indexOf('Commands:')).matchAll(/^ {2}([a-z-]+)/gm)].map(
        ([, name]) => name,
      );
      expect(commands.length).toBeGreaterThan(4);
      expect(complete(...path, '')).toEqual(expect.arrayContaining(commands));
    }
    expect(complete('deli')).toEqual(['deliveries']);
    expect(complete('deliveries', 'list', '--project', 'shop', '--st')).toEqual(['--status']);
    expect(complete('deliveries', 'list', '--status', 'f')).toEqual(['failed']);
    expect(complete('trigger', 'otp.v')).toEqual(['otp.verified']);
    expect(complete('dev')).toEqual(['']);
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await herald(['completion', shell], settings);
      expect(stdout).toContain('deliveries list');
      const isHere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
      if (isHere) expect(spawnSync(shell, ['-n'], { input: stdout }).status).toBe(0);
    }
  });

  it('sets and clears the look of the login page', async () => {
    await json('project', 'create', '--slug', 'look', '--name', 'Look');
    const privacy = 'https://look.example/privacy';
    expect(
      await json('project', 'set', 'look', '--color', '#ABCDEF', '--privacy-url', privacy),
    ).toMatchObject({
      slug: 'look',
      brand: { color: '#abcdef', privacy_url: privacy, logo_url: null },
    });
    expect(await json('project', 'set', 'look', '--color', 'none')).toMatchObject({
      brand: { color: null, privacy_url: privacy },
    });
    const logo = ['project', 'set', 'look', '--logo-url', 'https://10.0.0.1/logo.png'];
    expect(await refusal(logo)).toMatch(/brand\.logo_url: points to a private network/);
  });

  it('adds purchased credits', async () => {
    await json('project', 'create', '--slug', 'credit', '--name', 'Credit');
    expect(await json('project', 'credits', 'credit', '--add', '100')).toEqual({
      slug: 'credit',
      purchased_credits: 100,
    });
    expect(await json('project', 'credits', 'credit', '--add', '5')).toMatchObject({
      purchased_credits: 105,
    });
  });

  it('creates, lists and revokes keys', async () => {
    await json('project', 'create', '--slug', 'keys', '--name', 'Keys');
    const created = await json<{ key_id: string; api_key: string }>(
      'key',
      'create',
      'keys',
      '--name',
      'backend',
    );
    expect(created.api_key).toMatch(/^hk_/);
    const listed = await json<object[]>('key', 'list', 'keys');
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({
      key_id: created.key_id,
      name: 'backend',
      created_at: aTime,
      last_used_at: null,
      revoked_at: null,
    });
    expect(JSON.stringify(listed)).not.toContain(created.api_key);
    expect(await json('key', 'revoke', 'keys', created.key_id)).toEqual({
      key_id: created.key_id,
      revoked: true,
    });
    expect(await findProjectByKey(database.pool, sha256(created.api_key))).toBeNull();
    expect(await refusal(['key', 'revoke', 'keys', created.key_id])).toBe(
      `Project "keys" has no active key "${created.key_id}".`,
    );
  });

  it('exports a list as CSV, or as an object in each line', async () => {
    const { project_id } = await json<{ project_id: string }>(
      ...['project', 'create', '--slug', 'export', '--name', 'Export'],
    );
    await database.pool.query(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang, tags)
       VALUES ($1, 'max', '7', '7', 'Anna, "A"', 'ru', '{tea,vip}')`,
      [project_id],
    );
    const { stdout: csv } = await herald(['export', 'subscribers', 'export'], settings);
    const [header, line] = csv.split(/\r?\n/);
    expect(header).toMatch(/^subscriber_id,/);
    expect(line).toContain('"Anna, ""A"""');
    const { stdout } = await herald(['export', 'subscribers', 'export', '--json'], settings);
    const rows = stdout.trim().split('\n');
    expect(rows).toHaveLength(1);
    const row = JSON.parse(rows[0] ?? '') as Record<string, unknown>;
    expect(row).toMatchObject({ first_name: 'Anna, "A"', tags: ['tea', 'vip'] });
    expect(Object.keys(row)).toEqual(header?.split(','));
  });

  it('exports tickets and submissions', async () => {
    const { project_id } = await json<{ project_id: string }>(
      ...['project', 'create', '--slug', 'answers', '--name', 'Answers'],
    );
    await database.pool.query(
      `INSERT INTO tickets (id, project_id, number, subject, priority, source, virtual, customer_name)
       VALUES (gen_random_uuid(), $1, 7, 'Where is my tea?', 'high', 'api', true, 'Anna')`,
      [project_id],
    );
    await database.pool.query(
      `WITH form AS (
         INSERT INTO forms (id, project_id, name, fields, routes, allowed_origins, min_seconds, signing_sealed, status)
         VALUES (gen_random_uuid(), $1, 'Contact', '[]', '[]', '{}', 0, '', 'active') RETURNING id
       )
       INSERT INTO form_submissions (id, project_id, form_id, status, answers, source)
       SELECT gen_random_uuid(), $1, id, 'new', '{"topic": "tea"}', 'web' FROM form`,
      [project_id],
    );
    const expected = {
      tickets: { number: 7, subject: 'Where is my tea?', priority: 'high', created_at: aTime },
      submissions: { status: 'new', answers: { topic: 'tea' }, created_at: aTime },
    };
    for (const [kind, fields] of Object.entries(expected)) {
      const { stdout } = await herald(['export', kind, 'answers', '--json'], settings);
      const row = JSON.parse(stdout) as Record<string, unknown>;
      expect(row).toMatchObject(fields);
      const { stdout: csv } = await herald(['export', kind, 'answers'], settings);
      const [header, ...lines] = csv.trim().split(/\r?\n/);
      expect(header?.split(',')).toEqual(Object.keys(row));
      expect(lines).toHaveLength(1);
    }
  });

  it('prints tables for people', async () => {
    await json('project', 'create', '--slug', 'people', '--name', 'For people');
    for (const args of [
      ['project', 'list'],
      ['project', 'show', 'people'],
      ['key', 'list', 'people'],
    ]) {
      const { code, stdout } = await herald(args, settings);
      expect(code).toBe(0);
      expect(stdout).toMatch(args[0] === 'key' ? /hk_/ : /For people/);
    }
  });

  it('says in one sentence what is wrong with a command', async () => {
    const create = (slug: string, ...more: string[]) => [
      'project',
      'create',
      '--slug',
      slug,
      '--name',
      'X',
      ...more,
    ];
    expect(await refusal(create('a b'))).toBe(
      'Invalid value: slug: must be 3 to 50 characters of a-z, 0-9 and -.',
    );
    expect(await refusal(create('fine', '--callback-url', 'javascript:alert(1)'))).toMatch(
      /^Invalid value: callback_url: /,
    );
    expect(await refusal(create('fine', '--plan', 'gold'))).toMatch(/^Invalid value: plan: /);
    expect(await refusal(['project', 'create', '--slug', 'fine'])).toContain(
      "required option '--name <name>'",
    );
    await json('project', 'create', '--slug', 'taken', '--name', 'Taken');
    expect(await refusal(create('taken'))).toBe('The slug "taken" is already taken.');
    expect(await refusal(['project', 'show', 'nobody'])).toBe('Project "nobody" not found.');
    expect(await refusal(['project', 'set', 'taken'])).toBe('Nothing to change: pass at least one option.');
    expect(await refusal(['project', 'set', 'taken', '--active', 'maybe'])).toContain(
      'It must be true or false.',
    );
    expect(await refusal(['project', 'set', 'taken', '--requests-per-minute', '0'])).toMatch(
      /requests_per_minute: /,
    );
    expect(await refusal(['project', 'credits', 'taken', '--add', '-3'])).toContain('a whole number above 0');
    expect(await refusal(['dance'])).toContain("unknown command 'dance'");
  });

  it('says in one sentence what is wrong with the database', async () => {
    const list = ['project', 'list'];
    expect(await refusal(list, { DATABASE_URL: 'mysql://a/b' })).toMatch(/^DATABASE_URL: must be a URL/);
    expect(await refusal(list, { DATABASE_URL: 'postgres://a:hunter2@127.0.0.1:1/b' })).toBe(
      'Cannot connect to the database.',
    );
    const other = new URL(database.url);
    other.pathname = '/nowhere';
    expect(await refusal(list, { DATABASE_URL: other.href })).toBe(
      'The server has no database with this name.',
    );
    other.pathname = '/postgres';
    expect(await refusal(list, { DATABASE_URL: other.href })).toContain('no Herald schema yet');
    expect(await refusal(list, { HERALD_DATA_DIR: '/nonexistent/herald' })).toContain(
      'Herald is not running with the data directory /nonexistent/herald',
    );
  });

  it('lists drip chains with what is late, pauses and activates them, and shows their enrolments', async () => {
    const { project_id: project } = await json<{ project_id: string }>(
      ...['project', 'create', '--slug', 'drip', '--name', 'Drip'],
    );
    const chain = '00000000-0000-0000-0000-00000000d001';
    await database.pool.query(
      `WITH chain AS (
         INSERT INTO drip_chains (id, project_id, name, trigger, reentry, status)
         VALUES ($2, $1, 'Welcome', '{"type": "subscription"}', 'once', 'active') RETURNING id
       ), version AS (
         INSERT INTO drip_versions (drip_id, version, steps)
         SELECT id, 1, '[{"id": "hello", "type": "send", "content": {"text": "x"}}]' FROM chain
       ), people AS (
         INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
         SELECT $1, 'telegram', n, n, 'A', 'en' FROM generate_series(1, 3) n RETURNING id, platform_user_id
       )
       INSERT INTO drip_enrolments (project_id, drip_id, version, subscriber_id, step_id, next_at, parked)
       SELECT $1, $2, 1, id, 'hello', now() - make_interval(hours => platform_user_id::int), platform_user_id = '3'
       FROM people`,
      [project, chain],
    );
    const own = { drip_id: chain, project: 'drip', name: 'Welcome', trigger_type: 'subscription', active: 3 };
    expect(await json('drip', 'list', '--project', 'drip')).toEqual([
      expect.objectContaining({ ...own, status: 'active', parked: 1, late: 2 }),
    ]);
    expect(await json('drip', 'pause', chain)).toMatchObject({ ...own, status: 'paused' });
    // Steps that waited go on.
    expect(await json('drip', 'activate', chain)).toMatchObject({ ...own, status: 'active', parked: 0 });
    expect(await json('drip', 'show', chain)).toMatchObject({
      ...own,
      enrolled: 3,
      steps: [{ step_id: 'hello', reached: 0, sent: 0, failed: 0, skipped: 0 }],
    });
    const listed = ['drip', 'enrolments', '--chain', chain, '--status', 'active', '--limit', '2', '--json'];
    const enrolments = await json<{ enrolment_id: string; subscriber_id: string; workflow_id: string }[]>(
      ...listed.slice(0, -1),
    );
    expect(enrolments).toHaveLength(2);
    const { stdout: prefixed } = await herald(listed, {
      ...settings,
      HERALD_SUBSCRIBER_ID_FORMAT: 'prefixed',
    });
    expect(prefixed).toContain(formatSubscriberId(enrolments[0]?.subscriber_id ?? '', 'prefixed'));
    expect(enrolments[0]).toMatchObject({ status: 'active', parked: false, step_id: 'hello', version: 1 });
    expect(enrolments[0]?.workflow_id).toBe(`drip/${enrolments[0]?.enrolment_id}`);
    const { rows } = await database.pool.query(
      `SELECT actor_type, action FROM audit_entries WHERE project_id = $1 AND target_id = $2`,
      [project, chain],
    );
    expect(rows).toEqual([
      { actor_type: 'cli', action: 'drip_chain.updated' },
      { actor_type: 'cli', action: 'drip_chain.updated' },
    ]);
    expect(await refusal(['drip', 'show', project])).toBe(`Drip chain "${project}" not found.`);
    expect(await refusal(['drip', 'enrolments', '--chain', chain, '--status', 'late'])).toMatch(/status/);
  });

  it('lists templates, batches, scheduled and recurring messages of all projects or of one', async () => {
    const { project_id: project } = await json<{ project_id: string }>(
      ...['project', 'create', '--slug', 'campaigns', '--name', 'Campaigns'],
    );
    await database.pool.query(
      `INSERT INTO broadcasts (project_id, kind, content, audience, status, total) VALUES ($1, 'batch', '{}', '{}', 'completed', 7)`,
      [project],
    );
    const [batch, ...more] = await json<Record<string, unknown>[]>('batch', 'list', '--project', 'campaigns');
    expect(batch).toMatchObject({
      batch_id: expect.any(String),
      project: 'campaigns',
      total: 7,
      status: 'completed',
      created_at: aTime,
    });
    expect(more).toEqual([]);
    await database.pool.query(
      `INSERT INTO templates (project_id, key, name, purpose, format, default_lang, variants)
       VALUES ($1, 'hi', 'Hello', 'message', 'plain', 'en', '{"en": {"text": "Hi"}}')`,
      [project],
    );
    expect(await json('template', 'list', '--project', 'campaigns')).toEqual([
      { key: 'hi', project: 'campaigns', name: 'Hello', version: 1, created_at: aTime },
    ]);
    for (const kind of ['scheduled', 'recurring']) {
      expect(await json(kind, 'list', '--project', 'campaigns', '--status', 'active')).toEqual([]);
    }
  });
});
