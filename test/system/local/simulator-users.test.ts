import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Telegram } from 'telegraf';
import { startSimulator, type Simulator } from '../../../src/local/simulator';
import { createSimulatorControl, testBots } from '../../support/simulator-control';

const OWN = '777001:a-token-of-an-own-bot-00000000000000';

let directory: string;
let usersFile: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-users-'));
  usersFile = path.join(directory, 'users.json');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const start = () => startSimulator({ port: 0, usersFile, ...testBots });

/** The chat with a user has the user's id. */
async function send({ url }: Simulator, token: string, chatId: number): Promise<'sent' | number> {
  const telegram = new Telegram(token, { apiRoot: url });
  return telegram.sendMessage(chatId, 'Still there?').then(
    () => 'sent' as const,
    (error: { code: number }) => error.code,
  );
}

test('the people whom the bots know outlive restarts, also those of a bot that has not called yet', async () => {
  const users = await start();
  await new Telegram(OWN, { apiRoot: users.url }).getMe();
  const shared = createSimulatorControl(users.url);
  const [anna, boris, clara] = [5_000_000_001, 5_000_000_002, 5_000_000_003];
  await shared.open('telegram', anna);
  await shared.open('telegram', boris);
  await shared.block('telegram', boris);
  await createSimulatorControl(users.url, { bot: 'own_777001_bot' }).open('telegram', clara);
  await users.stop();

  // Nobody calls.
  await (await start()).stop();

  const again = await start();
  expect(await send(again, testBots.telegram.token, anna)).toBe('sent');
  // Blocked, and unknown.
  expect(await send(again, testBots.telegram.token, boris)).toBe(403);
  expect(await send(again, testBots.telegram.token, clara)).toBe(400);
  expect(await send(again, OWN, clara)).toBe('sent');
  await again.stop();
});

test('a damaged file is no obstacle', async () => {
  await writeFile(usersFile, '{"telegram":');
  await (await start()).stop();
});
