import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { confirmedSession } from '../login/fixture';
import { freshName } from '../messages/fixture';
import { forms, someAddress } from './fixture';

let service: Installation;
let project: TestProject;
const { create, submit, list } = forms(
  () => service,
  () => project,
);

beforeAll(async () => {
  service = await useService();
  project = await service.createProject();
});
afterAll(() => service?.stop());

const SENDERS = 40;
const LEAST = 1_000;

it('a login is confirmed during a flood of submissions, of which the form takes 30 a minute', async () => {
  const created = await create();
  const other = await service.createProject();
  const statuses = new Map<number, number>();
  let isOver = false;
  let sent = 0;
  const sender = async () => {
    while (!isOver || sent < LEAST) {
      sent += 1;
      // Half of them from one address, the others from anywhere.
      const from = sent % 2 === 0 ? '10.9.8.7' : someAddress();
      const { status } = await submit(created, { size: 'x'.repeat(1_000) }, { 'x-forwarded-for': from });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const flood = Promise.all(Array.from({ length: SENDERS }, sender));
  try {
    for (let n = 0; n < 3; n += 1) await confirmedSession(service, other, freshName());
  } finally {
    isOver = true;
  }
  await flood;
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  // A test that crosses a full minute sees two windows.
  const stored = (await list(created, '?limit=100')).length;
  expect(stored).toBe(statuses.get(200));
  expect(stored).toBeLessThanOrEqual(60);
});
