import { randomBytes, randomInt } from 'node:crypto';
import type * as temporal from '@temporalio/client';
import { createPool } from '../../src/base/db/pool';
import { createApi } from './api';
import { patient } from './database';
import { projectsOf, type Installation } from './installation';
import type { Resident } from './residents';
import { createSimulatorControl } from './simulator-control';

/**
 * The resident installation of this jest worker: the built service with all roles and default settings, which the files of
 * the worker use one after another. Projects, users and the client's address are this file's own; everything else in the
 * database may be another file's.
 */
export async function useService(): Promise<Installation> {
  const { url, databaseUrl, emitUrl, simulator, queuePrefix } = await resident<Resident>('service');

  const pool = patient(createPool({ url: databaseUrl, max: 10 }));
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;
  const control = createSimulatorControl(simulator.url, { users: randomBytes(4).toString('hex') });
  const projects: string[] = [];
  const apiWith = (key: string | null) => createApi(url, key, { 'x-forwarded-for': address });
  const { createProject, createKey } = projectsOf(pool, apiWith);
  let client: temporal.Client | undefined;
  return {
    url,
    database: { url: databaseUrl },
    pool,
    get client() {
      return (client ??= temporalClient());
    },
    simulator,
    control,
    queuePrefix,
    apiWith,
    createKey,
    async emitExample(projectId, name, more) {
      const emitted = await fetch(emitUrl, {
        method: 'POST',
        body: JSON.stringify({ projectId, name, more }),
      });
      if (!emitted.ok) throw new Error(`no event: ${await emitted.text()}`);
      return emitted.text();
    },
    async createProject(changes) {
      const project = await createProject(changes);
      projects.push(project.id);
      return project;
    },
    async stop() {
      // Retries to a receiver that is gone would reach the next one on its port.
      await pool.query(
        `UPDATE endpoints SET status = 'disabled', disabled_at = now(), version = version + 1
         WHERE project_id = ANY ($1) AND status = 'active'`,
        [projects],
      );
      for (const channel of ['telegram', 'max'] as const) {
        await control.faults(channel, { clear: true });
        await control.limits(channel, {});
      }
      await client?.connection.close();
      await pool.end();
    },
  };
}

/** A resident process of this jest worker, which is started if it does not run yet. */
export async function resident<T>(kind: 'service' | 'cli'): Promise<T> {
  const residents = process.env['HERALD_TEST_RESIDENTS'];
  if (!residents) throw new Error('HERALD_TEST_RESIDENTS is missing: run the tests through jest');
  const response = await fetch(`${residents}/${kind}/${process.env['JEST_WORKER_ID'] ?? '1'}`);
  if (!response.ok) throw new Error(`the resident ${kind} did not start: ${await response.text()}`);
  return (await response.json()) as T;
}

/** Loaded on first use: most files need no client of Temporal. */
function temporalClient(): temporal.Client {
  // oxlint-disable-next-line typescript/no-require-imports -- an import() cannot be synchronous
  const { Client, Connection } = require('@temporalio/client') as typeof temporal;
  const address = process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '';
  return new Client({ connection: Connection.lazy({ address }) });
}
