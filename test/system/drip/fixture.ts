import { workflowIds } from '../../../src/base/temporal/names';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';

/** A minute of a chain takes this long in the tests. */
export const MINUTE_MS = 600;
export const dripEnv = { HERALD_DRIP_SCALE: String(MINUTE_MS / 60_000) };

export const send = (id: string, text = id) => ({ id, type: 'send', content: { text } });
export const delay = (id: string, minutes = 1) => ({ id, type: 'delay', minutes });

export interface Enrolment {
  enrolment_id: string;
  drip_id: string;
  version: number;
  subscriber_id: string;
  status: string;
  reason: string | null;
  step_id: string | null;
  next_at: string | null;
  started_at: string;
  ended_at: string | null;
}

export function drips(service: Installation, project: () => TestProject) {
  const api = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    project().api(method, `/v1/drip-chains${path}`, body);

  async function create(chain: object): Promise<string> {
    const { status, body } = await api('POST', '', {
      name: 'Chain',
      trigger: { type: 'manual' },
      steps: [send('hello')],
      status: 'active',
      ...chain,
    });
    expect([status, body]).toEqual([201, expect.anything()]);
    return body.drip_id as string;
  }

  async function enrol(chain: string, subscriberId: string, more: object = {}): Promise<Enrolment> {
    const { status, body } = await api('POST', `/${chain}/enrolments`, {
      subscriber_id: subscriberId,
      ...more,
    });
    expect([status, body]).toEqual([201, { data: [expect.anything()] }]);
    return body.data[0];
  }

  async function list(chain: string, query = ''): Promise<Enrolment[]> {
    return (await api('GET', `/${chain}/enrolments${query}`)).body.data;
  }

  /** Waits until the only enrolment of a chain is as expected. */
  const until = (chain: string, expected: Partial<Enrolment>) =>
    eventually(async () => {
      const [found] = await list(chain);
      const isSo = Object.entries(expected).every(
        ([key, value]) => found?.[key as keyof Enrolment] === value,
      );
      if (!isSo) throw new Error(`it is ${JSON.stringify(found)}`);
      return found as Enrolment;
    });

  const handleOf = (id: string) => service.client.workflow.getHandle(workflowIds.drip(id));
  const workflowEnded = (id: string) =>
    eventually(async () => {
      const described = await handleOf(id).describe();
      return described.status.name === 'COMPLETED' ? described : null;
    });

  return { api, create, enrol, list, until, handleOf, workflowEnded };
}
