import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Scope } from '../../src/base/contract/scopes';
import type { EventName } from '../../src/domains/events/contract';
import type { Simulator } from '../../src/local/simulator';
import { Cipher } from '../../src/base/lib/cipher';
import { newApiKey } from '../../src/base/lib/tokens';
import type { Project } from '../../src/domains/projects/contract';
import { insertApiKey } from '../../src/domains/projects/queries/keys';
import {
  insertProject,
  updateProject,
  type ProjectChanges,
} from '../../src/domains/projects/queries/projects';
import type { Api } from './api';
import type { SimulatorControl } from './simulator-control';

/** Seals and opens with the key of every installation in the tests. */
export const testCipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);

export interface TestProject extends Project {
  api_key: string;
  api: Api;
}

/** A running Herald: the resident one of a jest worker (`useService`) or a test file's own (`startTestService`). */
export interface Installation {
  url: string;
  database: { url: string };
  pool: pg.Pool;
  client: Client;
  simulator: Pick<Simulator, 'url' | 'telegramApiRoot' | 'maxApiRoot'>;
  /** Acts as the users of the messengers. */
  control: SimulatorControl;
  queuePrefix: string;
  createProject(changes?: ProjectChanges & { slug?: string }): Promise<TestProject>;
  /** A further key of a project. */
  createKey(projectId: string, scopes: Scope[]): Promise<string>;
  /** Emits an event inside the service, with the catalogue's example and `more` as its data. Returns its id. */
  emitExample(projectId: string, name: EventName, more?: object): Promise<string>;
  /** Without a key, or with any other. */
  apiWith(key: string | null): Api;
  /** Stops it; the resident one goes on, without the endpoints and faults of this file. */
  stop(): Promise<void>;
}

/** Creates projects and keys as `herald project create` does, without its process. */
export function projectsOf(
  pool: pg.Pool,
  apiWith: Installation['apiWith'],
): Pick<Installation, 'createProject' | 'createKey'> {
  return {
    async createKey(projectId, scopes) {
      const { key, hash, hint } = newApiKey();
      await insertApiKey(pool, { project_id: projectId, hash, hint, scopes });
      return key;
    },
    async createProject({ slug, ...changes } = {}) {
      const { key, hash, hint } = newApiKey();
      const inserted = await insertProject(pool, {
        slug: slug ?? `p-${randomBytes(5).toString('hex')}`,
        name: changes.name ?? 'Test project',
      });
      if (!inserted) throw new Error('the slug is taken');
      // Tests of other things must not meet the limits by accident.
      const generous = {
        requests_per_minute: 1_000_000,
        sessions_per_hour: 1_000_000,
        sessions_per_address: 1_000_000,
      };
      const project = await updateProject(pool, inserted.id, { ...generous, ...changes });
      await insertApiKey(pool, { project_id: inserted.id, hash, hint });
      return { ...(project ?? inserted), api_key: key, api: apiWith(key) };
    },
  };
}
