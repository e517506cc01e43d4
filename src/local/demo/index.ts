import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { DAY_MS, MINUTE_MS } from '../../base/contract/durations';
import { withTransaction, type Db } from '../../base/db/pool';
import { completeBatch, insertBatch, insertBatchRecipients } from '../../domains/broadcasts/batch/queries';
import { changeRecurring, insertRecurring } from '../../domains/recurring/queries/recurring';
import { insertScheduled } from '../../domains/scheduled/queries/scheduled';
import { insertChain } from '../../domains/drip/queries/chains';
import { signingPurpose } from '../../domains/forms/forms';
import { insertForm } from '../../domains/forms/queries/forms';
import { writeSubmission } from '../../domains/forms/submit';
import { insertTracked } from '../../domains/subscribers/tracked/queries';
import type { Cipher } from '../../base/lib/cipher';
import { isoTime } from '../../base/lib/iso-time';
import { newApiKey, randomToken256, sha256 } from '../../base/lib/tokens';
import { findAccount, upsertAccount, type Account } from '../../domains/projects/queries/accounts';
import { insertMember, listAccountProjects } from '../../domains/projects/queries/account-projects';
import { findProjectByKey, insertApiKey } from '../../domains/projects/queries/keys';
import {
  addPurchasedCredits,
  findProjectBySlug,
  insertProject,
  updateProject,
} from '../../domains/projects/queries/projects';
import { seedDemoTicket } from './ticket';
import { namedUserId } from '../simulator/users';
import { ERASED_SUBSCRIBER_ID } from '../../domains/subscribers';
import { subscribe, unsubscribe } from '../../domains/subscribers/queries/subscriptions';
import { insertTemplate } from '../../domains/templates/queries';

export interface Demo {
  slug: string;
  api_key: string;
}

const SLUG = 'demo';
/** The user of the simulator who owns the demo project. */
export const demoOwner = 'demo';
/** High limits, so that the demo never gets a 429 or a 402. */
const DEMO_LIMIT = 100_000;

export interface DemoOptions {
  pool: pg.Pool;
  cipher: Cipher;
  /** Holds the project's key. */
  keyFile: string;
  /** A new project gets no examples. */
  empty?: boolean | undefined;
}

/**
 * Creates the development demo project. The database stores only hashes of keys, so the key itself is kept in the data
 * directory and replaced if it is lost.
 */
export async function seedDemoProject({ pool, cipher, keyFile, empty }: DemoOptions): Promise<Demo> {
  const storedKey = await readFile(keyFile, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  return withTransaction(pool, async (db) => {
    const earlier = await findProjectBySlug(db, SLUG);
    const project = earlier ?? (await insertProject(db, { slug: SLUG, name: 'Demo project', plan: 'basic' }));
    if (!project) throw new Error('the demo project could not be created');
    if (!earlier && !empty) await seedExamples(db, project.id, cipher);
    await updateProject(db, project.id, {
      requests_per_minute: DEMO_LIMIT,
      sessions_per_hour: DEMO_LIMIT,
      sessions_per_address: DEMO_LIMIT,
    });
    await seedOwner(db, project.id);
    await addPurchasedCredits(db, project.id, Math.max(0, DEMO_LIMIT - project.purchased_credits));
    if (storedKey && (await findProjectByKey(db, sha256(storedKey)))) {
      return { slug: SLUG, api_key: storedKey };
    }
    const { key, hash, hint } = newApiKey();
    await insertApiKey(db, { project_id: project.id, hash, hint, name: 'demo' });
    await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
    return { slug: SLUG, api_key: key };
  });
}

/** Null before the demo project is seeded. */
export function findDemoOwner(db: Db): Promise<Account | null> {
  return findAccount(db, 'telegram', String(namedUserId(demoOwner)));
}

/** The owner can sign in to the dashboard through the simulator, without an invitation first. */
async function seedOwner(db: Db, projectId: string): Promise<void> {
  const id = String(namedUserId(demoOwner));
  const account =
    (await findDemoOwner(db)) ??
    (await upsertAccount(db, {
      channel: 'telegram',
      platform_user_id: id,
      chat_id: id,
      first_name: 'Demo',
      username: null,
      lang: 'en',
    }));
  const projects = await listAccountProjects(db, account.id);
  if (projects.some(({ project_id }) => project_id === projectId)) return;
  await insertMember(db, { project_id: projectId, account_id: account.id, role: 'owner' });
}

const plainText = { format: 'plain' as const, buttons: [] };
const everyone = { tags_all: [], tags_any: [], exclude_tags: [] };

/** One example of each kind, so that every page shows something, and no limit is close and nothing has failed. */
async function seedExamples(db: Db, projectId: string, cipher: Cipher): Promise<void> {
  await seedDemoMessages(db, projectId);
  await seedDemoSubscriber(db, projectId);
  await seedDemoTicket(db, projectId);
  await seedDemoForm(db, projectId, cipher);
}

/** A template, a scheduled broadcast, and a recurring one and a chain that are paused. */
async function seedDemoMessages(db: Db, projectId: string): Promise<void> {
  const content = { template: 'welcome', vars: {} };
  await insertTemplate(db, projectId, {
    id: randomUUID(),
    key: 'welcome',
    name: 'Welcome',
    purpose: 'message',
    format: 'markdown',
    default_lang: 'en',
    variants: {
      en: { text: 'Hello **{{first_name|there}}**, welcome to {{project}}!', buttons: [] },
      ru: { text: 'Здравствуйте, **{{first_name|друг}}**! Это {{project}}.', buttons: [] },
    },
  });
  const at = new Date(Date.now() + 300 * DAY_MS);
  await insertScheduled(db, projectId, randomUUID(), {
    name: 'Anniversary',
    content,
    subscriber_id: null,
    external_id: null,
    audience: everyone,
    channels: null,
    permission: null,
    scheduled_at: isoTime(at),
    timezone: null,
    next_at: at,
  });
  const weekly = {
    name: 'Weekly digest',
    content: { text: 'What is new this week', format: 'plain' as const, buttons: [] },
    audience: everyone,
    cron: '0 9 * * MON',
    timezone: 'UTC',
    start_at: null,
    end_at: null,
    max_runs: null,
  };
  await insertChain(db, projectId, randomUUID(), {
    name: 'First days',
    trigger: { type: 'subscription' },
    steps: [
      { id: 'hello', type: 'send', content },
      { id: 'a-day', type: 'delay', minutes: 1440 },
      { id: 'daytime', type: 'wait_until', from: '09:00', to: '18:00', timezone: 'recipient' },
      { id: 'bought', type: 'condition', if: { rules: [{ event: 'purchase' }] }, else: 'offer' },
      { id: 'thanks', type: 'send', content: { ...plainText, text: 'Thank you for your order!' } },
      { id: 'stop', type: 'end' },
      { id: 'offer', type: 'send', content: { ...plainText, text: 'Your first delivery is free.' } },
    ],
    exit_on: { rules: [{ tag: 'customer' }] },
    reentry: 'once',
    status: 'paused',
    version: 1,
  });
  const { id } = await insertRecurring(db, projectId, randomUUID(), weekly);
  await changeRecurring(db, id, { ...weekly, status: 'paused', next_at: null });
}

/**
 * The owner as a subscriber, with an event and a batch that names them. The owner is unsubscribed: the demo's messages reach
 * only people who subscribed themselves.
 */
async function seedDemoSubscriber(db: Db, projectId: string): Promise<void> {
  const id = String(namedUserId(demoOwner));
  const user = { channel: 'telegram' as const, platform_user_id: id };
  const about = { chat_id: id, bot: null, first_name: 'Demo', username: null, lang: 'en' as const };
  const { subscriber } = await subscribe(db, projectId, { ...user, ...about }, 'uuid');
  await unsubscribe(db, { ...user, bot: 'telegram' }, { projectId, updateId: 0 }, 'uuid');
  await insertTracked(db, projectId, [
    {
      id: randomUUID(),
      eventId: randomUUID(),
      subscriberId: subscriber.id,
      name: 'purchase',
      properties: { amount: 12.5, currency: 'EUR' },
      occurredAt: new Date(Date.now() - 40 * MINUTE_MS),
    },
  ]);
  const batchId = randomUUID();
  const content = JSON.stringify({ ...plainText, text: 'Your order is on its way.' });
  await insertBatch(db, projectId, batchId, { templates: {}, total: 1 });
  await insertBatchRecipients(
    db,
    batchId,
    [{ position: 0, ref: 'order-1041', permission: null, content }],
    [
      {
        position: 0,
        subscriber_id: subscriber.id,
        channel: 'telegram',
        status: 'skipped',
        reason: 'unsubscribed',
        error: null,
      },
    ],
    ERASED_SUBSCRIBER_ID,
  );
  await completeBatch(db, batchId);
}

/** A form with a submission from a site. */
async function seedDemoForm(db: Db, projectId: string, cipher: Cipher): Promise<void> {
  const id = randomUUID();
  const form = await insertForm(db, projectId, {
    id,
    name: 'Call me back',
    title_en: 'We will call you back',
    title_ru: 'Перезвоним вам',
    fields: [
      { key: 'name', type: 'text', label_en: 'Your name', label_ru: 'Как вас зовут', required: true },
      { key: 'phone', type: 'phone', label_en: 'Phone', label_ru: 'Телефон', required: true },
      {
        key: 'topic',
        type: 'select',
        label_en: 'What is it about?',
        label_ru: 'О чём вопрос?',
        options: [
          { value: 'order', label_en: 'An order', label_ru: 'Заказ' },
          { value: 'other', label_en: 'Something else', label_ru: 'Другое' },
        ],
      },
    ],
    routes: [{ action: 'spam', when: { rules: [{ field: 'name', op: 'contains', value: 'http' }] } }],
    allowed_origins: ['*'],
    min_seconds: 0,
    captcha_url: null,
    captcha_sealed: null,
    signing_sealed: cipher.encrypt(randomToken256(), signingPurpose, id),
    redirect_url: null,
    status: 'active',
  });
  const answers = { name: 'Anna', phone: '+1 555 010 0199', topic: 'order' };
  const submission = { id: randomUUID(), form, answers, source: 'web' as const, isSpam: false };
  await writeSubmission(db, 'uuid', { ...submission, subscriberId: null });
}
