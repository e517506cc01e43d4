import type { TestProject, TestService } from '../support/service';

const ROWS = 200;
const BATCHES = 60;
const LONG = 'Konstantinopolskaya-Preobrazhenskaya Alexandra Vladimirovna, head of the tea room by the river';

/** A project with long lists, and with names as long as they may be. */
export async function seedCrowd(service: TestService, receiverUrl: string): Promise<TestProject> {
  const project = await service.createProject({ name: LONG, plan: 'basic' });
  const make = async (path: string, body: unknown): Promise<void> => {
    const { status, body: made } = await project.api('POST', path, body);
    // 409: the project has as many of them as it may have.
    if (status >= 300 && status !== 409) throw new Error(`${path}: ${JSON.stringify(made)}`);
  };
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, external_id, first_name, username, lang, tags,
       active, created_at)
     SELECT $1, CASE WHEN n % 3 = 0 THEN 'max' ELSE 'telegram' END, 'crowd-' || n, 'crowd-' || n,
       repeat('customer-', n % 7) || n, left($2, 4 + (n * 13) % 90), 'user_with_a_long_name_' || n,
       CASE WHEN n % 2 = 0 THEN 'ru' ELSE 'en' END,
       CASE WHEN n % 4 = 0 THEN ARRAY['vip', 'green tea', 'asked about the opening hours of the tea room'] ELSE '{}' END,
       n % 9 > 0, now() - make_interval(hours => n * 3)
     FROM generate_series(1, $3::int) n RETURNING id`,
    [project.id, LONG, ROWS],
  );
  const ids = rows.map(({ id }) => id);
  const some = Array.from({ length: 20 }, (_, n) => n);
  for (const n of some.slice(0, 5)) {
    await make('/v1/webhooks', {
      url: `${receiverUrl}/a/rather/long/path/that/ends/in/what/differs/orders-${n}?tenant=tea-room&region=north`,
      description: n % 2 === 0 ? `${LONG} ${n}` : '',
      ...(n === 0 ? { events: ['event.tracked'] } : { events: ['auth.completed'] }),
    });
  }
  await project.api('PATCH', '/v1/helpdesk', { enabled: true });
  for (const half of [ids.slice(0, ROWS / 2), ids.slice(ROWS / 2)]) {
    await make('/v1/events', {
      events: half.map((subscriber_id, n) => ({
        name: n % 2 === 0 ? 'cart.item_added_by_a_returning_customer' : 'visit',
        subscriber_id,
        properties: { product: 'Sencha of the first harvest, from the hills', amount: n, page: '/green-tea' },
      })),
    });
  }
  for (let n = 0; n < ROWS; n += 1) {
    await make('/v1/helpdesk/tickets', {
      ...(n % 2 === 0
        ? { subscriber_id: ids[n] }
        : { customer: { name: LONG, contact: `a.long.address.of.a.customer.${n}@mail.example` } }),
      text: `Hello! My parcel ${n} has not arrived. It was promised for Monday, and it is Thursday now. What can I do?`,
      ...(n % 3 === 0 ? { subject: `${LONG}: parcel ${n}` } : {}),
      priority: (['low', 'normal', 'high', 'urgent'] as const)[n % 4],
    });
  }
  for (const n of some) {
    await make('/v1/tags', { name: `asked about the opening hours ${n}` });
    await make('/v1/templates', {
      key: `order_shipped_with_a_long_key_${n}`,
      name: LONG,
      variants: { en: { text: LONG } },
    });
    await make('/v1/subscribe-links', { name: `${LONG} ${n}`.slice(0, 100), tags: ['vip', 'green tea'] });
    await make('/v1/scheduled', {
      name: LONG,
      content: { text: `${LONG} ${n}` },
      audience: { tags_all: ['vip', 'green tea'] },
      scheduled_at: new Date(Date.now() + (n + 1) * 86_400_000).toISOString(),
    });
    await make('/v1/recurring', {
      name: LONG,
      content: { text: LONG },
      audience: {},
      cron: `${n} 9 * * MON`,
    });
    await make('/v1/drip-chains', {
      name: LONG,
      trigger: { type: 'event', name: 'visit' },
      steps: [{ id: 'first', type: 'delay', minutes: 60 }],
    });
    await make('/v1/auth/session', { state: `order-${n}` });
    await make('/v1/keys', { name: `${LONG} ${n}`.slice(0, 100) });
  }
  for (const n of some.slice(0, 10)) {
    await make('/v1/forms', {
      name: `${LONG} ${n}`.slice(0, 100),
      fields: [{ key: 'phone', type: 'phone', label_en: 'Phone' }],
    });
    await make('/v1/oidc/clients', {
      name: LONG,
      redirect_uris: [`https://a-long-host-name-${n}.tea.example/auth/callback/herald/and/more`],
    });
  }
  await seedJobs(service, project.id);
  await seedMessages(service, project.id);
  return project;
}

/** One for each subscriber, all of them ended. */
async function seedMessages(service: TestService, projectId: string): Promise<void> {
  await service.pool.query(
    `INSERT INTO messages (project_id, request_id, subscriber_id, channel, source, content, status, reason, created_at, ended_at)
     SELECT $1, gen_random_uuid(), id, channel, 'send',
       jsonb_build_object('text', left($2, 4 + (n * 13) % 90), 'format', 'plain', 'buttons', '[]'::jsonb),
       CASE WHEN n % 5 = 0 THEN 'failed' WHEN n % 7 = 0 THEN 'skipped' ELSE 'sent' END,
       CASE WHEN n % 5 = 0 THEN 'user_blocked_bot' WHEN n % 7 = 0 THEN 'unsubscribed' END, at, at
     FROM (SELECT id, channel, (row_number() OVER (ORDER BY created_at DESC))::int AS n FROM subscribers WHERE project_id = $1) subscriber,
       LATERAL (SELECT now() - make_interval(mins => n * 7) AS at) moment`,
    [projectId, LONG],
  );
}

/** Broadcasts and batches, the newest of each under way. They have no entry in the agenda, so none is sent. */
async function seedJobs(service: TestService, projectId: string): Promise<void> {
  await service.pool.query(
    `INSERT INTO broadcasts (project_id, kind, status, content, audience, total, sent, failed, skipped, possible_duplicates,
       created_at, started_at, ended_at)
     SELECT $1, kind, status,
       CASE WHEN kind = 'batch' THEN '{"templates": {}}'
         ELSE jsonb_build_object('text', left($2, 4 + (n * 13) % 90) || ' ' || n, 'format', 'plain', 'buttons', '[]'::jsonb) END,
       CASE WHEN kind = 'batch' OR n % 3 = 0 THEN '{}'
         ELSE '{"tags_all": ["vip", "green tea", "asked about the opening hours of the tea room"]}' END::jsonb,
       n * 97, CASE WHEN ended THEN n * 90 END, CASE WHEN ended THEN n * 5 END, CASE WHEN ended THEN n * 2 END,
       CASE WHEN ended THEN 0 END, at, at, CASE WHEN ended THEN at + interval '5 minutes' END
     FROM (VALUES ('broadcast', $3::int), ('batch', $4::int)) kinds (kind, count), generate_series(1, count) n,
       LATERAL (SELECT n > 1 AS ended, now() - make_interval(hours => n) AS at,
         CASE WHEN n = 1 THEN 'running' WHEN n % 8 = 0 THEN 'cancelled' ELSE 'completed' END AS status) job`,
    [projectId, LONG, ROWS, BATCHES],
  );
}
