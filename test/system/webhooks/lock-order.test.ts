import { recordSuccesses, type ExpressSuccess } from '../../../src/domains/webhooks/queries/results';
import { claimExpress, type ExpressClaim } from '../../../src/domains/webhooks/queries/claim';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createEndpoint, emitExample } from './fixture';

/** No worker: the test claims and records, so that nothing else locks the rows. */
let service: TestService;

beforeAll(async () => {
  // Its own, with no worker: the test claims and records.
  service = await startTestService({ lane: 'express', roles: 'api' });
});
afterAll(() => service?.stop());

const ROUNDS = 40;
/** As many at once as the connections can serve without a request waiting for one for long. */
const AT_ONCE = 8;
const EVENTS = 15;

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

function successOf({ id, endpoint_id }: ExpressClaim): ExpressSuccess {
  return {
    id,
    endpoint_id,
    http_status: 200,
    duration_ms: 1,
    request_headers: null,
    response_body: 'ok',
    response_headers: {},
    refill: true,
  };
}

interface Round {
  project: TestProject;
  removed: string;
  resumed: string;
  recovered: string;
  claims: ExpressClaim[];
}

/** Three endpoints with first attempts in flight; the last one has failed deliveries besides. */
async function prepare(): Promise<Round> {
  const project = await service.createProject();
  const [removed, resumed, recovered] = await Promise.all(
    ['removed', 'resumed', 'recovered'].map((path) =>
      createEndpoint(project, `http://127.0.0.1:9/${path}`).then(({ id }) => id),
    ),
  );
  for (let i = 0; i < EVENTS; i += 1) await emitExample(service, project, 'otp.sent');
  const claims = await claimExpress(service.pool, { limit: 3 * EVENTS, defaultLane: 'express' });
  expect(claims).toHaveLength(3 * EVENTS);
  // Every batch also ends a series of failures, so that it locks the endpoints, too.
  await service.pool.query(`UPDATE endpoints SET failing_since = now() WHERE project_id = $1`, [project.id]);
  const failed = claims.filter(({ endpoint_id }) => endpoint_id === recovered).map(({ id }) => id);
  await service.pool.query(
    `UPDATE deliveries SET status = 'failed', failure = 'exhausted', ended_at = now() WHERE id = ANY ($1)`,
    [failed],
  );
  return { project, removed: removed!, resumed: resumed!, recovered: recovered!, claims };
}

/** Everything that locks many of these rows, at the same moment. */
async function collide({ project, removed, resumed, recovered, claims }: Round) {
  const { api } = project;
  const successes = shuffled(claims).map(successOf);
  const batches = [0, 1, 2].map((part) =>
    recordSuccesses(
      service.pool,
      // They overlap, as a lease that expires makes them.
      shuffled([...successes.filter((_, index) => index % 3 === part), ...successes.slice(0, 5)]),
      { defaultLane: 'express' },
    ),
  );
  const requests = [
    api('DELETE', `/v1/webhooks/${removed}`),
    api('PUT', `/v1/webhooks/${resumed}`, { status: 'disabled' }).then(() =>
      api('PUT', `/v1/webhooks/${resumed}`, { status: 'active' }),
    ),
    api('POST', `/v1/webhooks/${recovered}/recover`, { since: new Date(Date.now() - 60_000).toISOString() }),
    api('POST', `/v1/webhooks/${recovered}/recover`, { since: new Date(Date.now() - 60_000).toISOString() }),
  ];
  const written = await Promise.allSettled(batches);
  const answers = await Promise.all(requests);
  return {
    lost: written.filter(({ status }) => status === 'rejected'),
    statuses: answers.map(({ status }) => status),
  };
}

test('success batches, a deletion, a resume and recovers of the same rows at once: no caller sees a deadlock, no success is lost', async () => {
  const rounds: Round[] = [];
  for (let i = 0; i < ROUNDS; i += 1) rounds.push(await prepare());
  const outcomes = [];
  for (let i = 0; i < ROUNDS; i += AT_ONCE) {
    outcomes.push(...(await Promise.all(rounds.slice(i, i + AT_ONCE).map(collide))));
  }
  expect(outcomes).toEqual(rounds.map(() => ({ lost: [], statuses: [204, 200, 202, 202] })));

  const ids = rounds.flatMap(({ claims }) => claims.map(({ id }) => id));
  const { rows: unrecorded } = await service.pool.query(
    `SELECT delivery_id FROM attempts WHERE delivery_id = ANY ($1) AND number = 1 AND http_status IS DISTINCT FROM 200`,
    [ids],
  );
  expect(unrecorded).toEqual([]);
  // A success ends its delivery, unless a recover has asked for one more attempt.
  const { rows: open } = await service.pool.query(
    `SELECT id FROM deliveries WHERE id = ANY ($1) AND status <> 'succeeded' AND round <= served`,
    [ids],
  );
  expect(open).toEqual([]);
});
