import type pg from 'pg';
import { dueAgain, nothingDue, type Advanced } from '../../base/agenda';
import { AppError } from '../../base/contract/errors';
import { formatSubscriberId } from '../../base/contract/ids';
import { withTransaction } from '../../base/db/pool';
import { undoneOnError } from '../../base/db/savepoint';
import type { SendResult } from '../messages';
import { parkUntilActive } from '../projects';
import {
  addedTags,
  lockSubscriber,
  onSubscriberChange,
  updateSubscriber,
  type SubscriberRecord,
} from '../subscribers';
import { trackIn } from '../subscribers/tracked';
import { answerProperties } from './answer-values';
import { ticketFrom } from './create-ticket';
import { messageMembers } from './message-members';
import { done, failed, skipped, type BegunMessage, type Outcome, type RouteDeps } from './outcome';
import {
  endRoute,
  findOwner,
  lockDue,
  recordBegun,
  recordEnd,
  recordWait,
  type DueRoute,
  type LockedSubmission,
} from './queries/routes';
import { FORM } from './queries/submissions';
import { sendToSubmitter } from './send-to-submitter';

/** `parked`: the project is inactive, and the routes wait without a workflow. */
export type RoutesRun = Advanced<'running' | 'parked' | 'done' | 'deleted'>;

const NO_SUBSCRIBER = skipped('no_subscriber');

/** A messenger that cannot take a message is tried again after as long as the route has waited, within these limits. */
const BUSY_MS = { least: 30_000, most: 15 * 60_000 };

/**
 * Runs the routes of a submission that have not run, in order. The effect of a route and its outcome commit together; a
 * message is found by the route's id. So a repeated call goes on where a crash has left it.
 */
export async function runRoutes(deps: RouteDeps, id: string): Promise<RoutesRun> {
  for (;;) {
    const reached = await withTransaction(deps.pool, (db) => runNext(deps, db, id));
    if (reached === 'next') continue;
    if ('status' in reached) return reached;
    const waiting = await send(deps, reached);
    if (waiting) return waiting;
  }
}

/** Lock order: project (if it is inactive), subscriber, submission. */
async function runNext(
  deps: RouteDeps,
  db: pg.PoolClient,
  id: string,
): Promise<RoutesRun | 'next' | BegunMessage> {
  const owner = await findOwner(db, id);
  if (owner && (await parkUntilActive(db, FORM, { id, ...owner }))) return nothingDue('parked');
  const subscriber =
    owner?.subscriber_id == null ? null : await lockSubscriber(db, owner.project_id, owner.subscriber_id);
  const submission = owner && (await lockDue(db, id));
  if (!submission) return nothingDue('deleted');
  const { due } = submission;
  if (!due) {
    await recordEnd(db, id);
    return nothingDue('done');
  }
  const { route } = due;
  if (route.action === 'message' && route.to === 'submitter' && subscriber) {
    await recordBegun(db, due.id);
    return { due: { ...due, route }, submission, subscriber };
  }
  await endRoute(db, due.id, await outcomeOf(deps, db, { due, submission, subscriber }));
  return 'next';
}

/** How operators see the route. */
const named = ({ index }: DueRoute) => `route ${index}`;

interface Running {
  due: DueRoute;
  submission: LockedSubmission;
  subscriber: SubscriberRecord | null;
}

/** What a route cannot do is its outcome, and leaves nothing behind; a fault of our own runs it again. */
async function outcomeOf(deps: RouteDeps, db: pg.PoolClient, running: Running): Promise<Outcome> {
  try {
    return await undoneOnError(db, () => run(deps, db, running));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    deps.log.info({ err: error, submission_id: running.submission.id }, 'a route of a form has failed');
    return failed(error.code);
  }
}

async function run(deps: RouteDeps, db: pg.PoolClient, running: Running): Promise<Outcome> {
  const { due, submission, subscriber } = running;
  const { route } = due;
  switch (route.action) {
    case 'tag':
      if (!subscriber) return NO_SUBSCRIBER;
      await addTag(db, submission.project_id, subscriber, route.tag);
      return done;
    case 'event':
      if (!subscriber) return NO_SUBSCRIBER;
      await track(deps, db, running, subscriber, route.name);
      return done;
    case 'message':
      return route.to === 'members' ? messageMembers(deps, db, due.id, submission, route) : NO_SUBSCRIBER;
    case 'ticket':
      return ticketFrom(db, deps.config.HERALD_SUBSCRIBER_ID_FORMAT, due, submission, subscriber, route);
    case 'spam':
      return done;
  }
}

async function addTag(
  db: pg.PoolClient,
  projectId: string,
  before: SubscriberRecord,
  tag: string,
): Promise<void> {
  if (before.tags.includes(tag)) return;
  const tags = [...before.tags, tag];
  await updateSubscriber(db, before.id, { ...before, tags });
  await onSubscriberChange(db, projectId, addedTags(before.id, before.tags, tags));
}

/** The id of the route is that of the event. */
async function track(
  { config }: RouteDeps,
  db: pg.PoolClient,
  { due, submission }: Running,
  subscriber: SubscriberRecord,
  name: string,
): Promise<void> {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
  const properties = answerProperties(submission.answers);
  const subscriber_id = formatSubscriberId(subscriber.id, format);
  const work = { id: due.id, resumed: false };
  await trackIn(db, format, submission.project_id, { events: [{ name, subscriber_id, properties }] }, work);
}

/** Null if the next route can run at once. */
async function send(deps: RouteDeps, begun: BegunMessage): Promise<RoutesRun | null> {
  const { due, submission } = begun;
  try {
    const outcome = outcomeOfMessage(await sendToSubmitter(deps, begun));
    await endRoute(deps.pool, due.id, outcome);
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'project_inactive') {
      const isParked = await withTransaction(deps.pool, (db) => parkUntilActive(db, FORM, submission));
      if (isParked) return nothingDue('parked', named(due));
      return dueAgain('running', submission.now, submission.now, named(due));
    }
    if (error.code !== 'platform_busy') throw error;
    const now = submission.now.getTime();
    const waited = now - (due.began_at ?? submission.now).getTime();
    const nextAt = new Date(now + Math.min(Math.max(waited, BUSY_MS.least), BUSY_MS.most));
    await withTransaction(deps.pool, (db) => recordWait(db, submission, nextAt));
    return dueAgain('running', nextAt, submission.now, named(due));
  }
}

function outcomeOfMessage({ status, reason }: SendResult): Outcome {
  return status === 'sent' ? done : { status, reason };
}
