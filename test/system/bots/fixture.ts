import pino from 'pino';
import { createIntake, type Intake, type IntakeOptions, type StoredUpdate } from '../../../src/bots/intake';
import { createNotifications } from '../../../src/db/notify';
import type { Logger } from '../../../src/lib/log';
import type { TestDatabase } from '../../support/database';

export const quiet: Logger = pino({ level: 'silent' });

export interface RunningIntake {
  intake: Intake;
  stop(): Promise<void>;
}

export function startIntake(
  database: TestDatabase,
  handle: (update: StoredUpdate) => Promise<void>,
  options: Partial<IntakeOptions> = {},
): RunningIntake {
  const notifications = createNotifications({ url: database.url, log: quiet });
  const intake = createIntake({
    pool: database.pool,
    notifications,
    log: quiet,
    handle,
    firstRetryMs: 5,
    ...options,
  });
  intake.start();
  return {
    intake,
    async stop() {
      await intake.stop();
      await notifications.stop();
    },
  };
}

export function telegramText(updateId: number, chat: number, text: string): object {
  return {
    update_id: updateId,
    message: {
      message_id: updateId,
      from: { id: chat, is_bot: false, first_name: 'Anna' },
      chat: { id: chat, type: 'private' },
      date: 1,
      text,
    },
  };
}

export function textOf({ parsed: { incoming } }: StoredUpdate): string {
  return incoming.kind === 'text' ? incoming.text : incoming.kind;
}
