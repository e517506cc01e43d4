import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError, recordThrottled, trackProgress } from '../bots';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Core } from '../../base/core';
import { inTurn } from '../../base/db/batches';
import { withAbortAfter } from '../../base/lib/timeout';
import { BLOCKED, isStoredTemplate, ownContentFor, type PreparedMessage, prepareMessage } from '../messages';
import type { MessageContent } from '../messages/contract';
import { faultOf } from '../templates';
import { afterFailure, OutageBackoff } from './after-failure';
import { copyNext } from './audience-job';
import { enterProject, type ProjectRun } from './project-runs';
import { claimRecipients, type ClaimedRecipient, type ReachableRecipient } from './queries/claims';
import { recordRecipientMedia, type RecipientResult } from './queries/results';
import {
  beginRun,
  parkRun,
  reportRun,
  senderKey,
  updateRecipients,
  type BroadcastRun,
  type Sender,
} from './queries/runs';
import { createBroadcastRecorder, type BroadcastRecorder } from './recorder';
import { retryWrite } from './retry-write';

export type RunDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'log'>;

export interface RunOptions {
  /** On abort the run claims nothing more; sends in flight finish and are recorded. */
  signal: AbortSignal;
  pageMs: number;
}

/**
 * `drained`: no recipients are left. `stopped`: cancelled, ended or taken over. `more`: the page's time is up. `busy`: it is
 * the turn of another job of the project. `parked`: the project is inactive; a workflow is started when it is active again.
 */
export type RunEnd = 'drained' | 'stopped' | 'more' | 'busy' | 'parked';

/** Calls in flight per bot: one second's worth, which also bounds how many outcomes a kill leaves unknown. */
const MIN_CONCURRENCY = 50;
/** How often a waiting run checks whether it was cancelled. */
const CANCEL_CHECK_MS = 1_000;
const REPORT_MS = 20_000;
const NOT_CONNECTED_MS = 5_000;

/** Sends one page of a broadcast through every bot of the project, at the pace that all processes share. */
export async function runBroadcast(deps: RunDeps, id: string, options: RunOptions): Promise<RunEnd> {
  const { run, isParked } = await beginRun(deps.pool, id);
  if (!run) return isParked ? 'parked' : 'stopped';
  const own = enterProject(run.projectId);
  if (!own) return 'busy';
  let isWanted = false;
  const end = await runPage(deps, run, own, options).finally(() => {
    isWanted = own.leave();
  });
  if (end === 'parked') return (await parkRun(deps.pool, id)) ? 'parked' : 'more';
  return end === 'more' && isWanted ? 'busy' : end;
}

async function runPage(
  deps: RunDeps,
  run: BroadcastRun,
  own: ProjectRun,
  options: RunOptions,
): Promise<RunEnd> {
  const { id } = run;
  const messages = messagesOf(run, deps.config.HERALD_SUBSCRIBER_ID_FORMAT);
  const recorder = createBroadcastRecorder(deps, run);
  const reports = setInterval(() => {
    reportRun(deps.pool, id).catch((err: unknown) =>
      deps.log.warn({ err, broadcast_id: id }, 'a broadcast could not report that it runs'),
    );
  }, REPORT_MS);
  try {
    // Nothing is sent before: a broadcast that is drained has no audience left.
    while (await inTurn(run.projectId, () => copyNext(deps.pool, id))) {
      if (options.signal.aborted) return 'more';
    }
    await updateRecipients(deps.pool, run);
    const ends = await withAbortAfter(options.signal, options.pageMs, (signal, abort) =>
      Promise.all(
        run.senders.map((sender) =>
          runSender(deps, { ...run, ...messages, pauseMs: own.pauseMs }, sender, recorder, signal).catch(
            (error: unknown) => {
              // Let the other bots finish their sends before the error is thrown.
              abort();
              return { error };
            },
          ),
        ),
      ),
    );
    const failure = ends.find((end) => typeof end === 'object');
    if (failure) throw failure.error;
    if (ends.includes('stopped')) return 'stopped';
    if (ends.includes('parked')) return 'parked';
    return ends.every((end) => end === 'drained') ? 'drained' : 'more';
  } finally {
    clearInterval(reports);
  }
}

interface RunMessages {
  /** The message that all recipients get, prepared once; null if they get different ones. */
  shared: PreparedMessage | null;
  /** The recipient's own message; null if it is the shared one. */
  contentFor(recipient: ReachableRecipient): MessageContent | null;
  messageFor(recipient: ClaimedRecipient): PreparedMessage;
  /** Why the recipient's message cannot be sent; null if it can. */
  faultFor(recipient: ClaimedRecipient): string | null;
}

type PreparedRun = BroadcastRun & RunMessages & Pick<ProjectRun, 'pauseMs'>;

function messagesOf(run: BroadcastRun, format: SubscriberIdFormat): RunMessages {
  const { content, project, id } = run;
  const isShared = run.kind === 'broadcast' && !('templates' in content) && !isStoredTemplate(content);
  const shared = isShared ? prepareMessage(content, run) : null;
  const contentFor = ownContentFor(content, { project, format, id });
  const contentOf = (recipient: ReachableRecipient | ClaimedRecipient) =>
    contentFor(recipient.content, { ...recipient, id: recipient.subscriber_id });
  return {
    shared,
    contentFor: (recipient) => (shared ? null : contentOf(recipient)),
    messageFor: (recipient) => shared ?? prepareMessage(contentOf(recipient), run),
    faultFor: (recipient) => (shared ? null : faultOf(contentOf(recipient))),
  };
}

async function runSender(
  deps: RunDeps,
  run: PreparedRun,
  sender: Sender,
  recorder: BroadcastRecorder,
  signal: AbortSignal,
): Promise<RunEnd> {
  const perSecond = deps.config.HERALD_MESSAGES_PER_SECOND;
  const concurrency = Math.max(MIN_CONCURRENCY, Math.ceil(perSecond));
  const callsOf = (recipient: ClaimedRecipient) => run.messageFor(recipient).calls(sender.channel);
  const outage = new OutageBackoff();
  const inFlight = new Set<Promise<void>>();
  const isMediaReady = mediaCheck(deps, run, sender);
  let failure: { error: unknown } | null = null;

  function launch(recipient: ClaimedRecipient): void {
    const call = sendOne(deps, run, sender, recipient, outage)
      .then((result) => recorder.write({ recipient, sender, result }))
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => inFlight.delete(call));
    inFlight.add(call);
  }

  const asBlocked = (recipient: ClaimedRecipient) => {
    const result = {
      id: recipient.id,
      status: 'failed',
      reason: 'user_blocked_bot',
      error: BLOCKED,
    } as const;
    return { recipient, sender, result };
  };

  async function claimAndLaunch(): Promise<RunEnd | null> {
    while (!signal.aborted && !failure) {
      const isIdle = inFlight.size === 0;
      // The first recipient's send uploads the media. The others wait for it here, unclaimed: sends that waited for it
      // would all start at once when it is done, above the pace.
      const room = (await isMediaReady()) ? concurrency : 1;
      const wanted = Math.min(Math.ceil(room / 4), room - inFlight.size);
      if (wanted <= 0) {
        await Promise.race(inFlight);
        continue;
      }
      const outageMs = outage.remainingMs();
      if (outageMs > 0) {
        await pause(outageMs, signal);
        continue;
      }
      const claim = await claimRecipients(deps.pool, run, sender, {
        wanted,
        perSecond,
        contentFor: run.contentFor,
        callsOf,
        recordBlocked: (db, blocked) => recorder.writeIn(db, blocked.map(asBlocked)),
      });
      if (claim.state === 'stopped' || claim.state === 'parked') return claim.state;
      let waitMs = 0;
      if (claim.state === 'claimed') {
        for (const recipient of claim.recipients) launch(recipient);
        waitMs = claim.waitMs;
      } else {
        if (isIdle) return claim.state === 'later' ? 'more' : 'drained';
        // A message in flight may be queued again.
        if (inFlight.size > 0) await Promise.race(inFlight);
      }
      await pause(Math.max(run.pauseMs(), waitMs), signal);
    }
    return null;
  }

  const launched = claimAndLaunch();
  await Promise.allSettled([launched]);
  await Promise.all(inFlight);
  if (failure) throw (failure as { error: unknown }).error;
  return (await launched) ?? 'more';
}

/** A newer run has taken over the recipient. */
class FencedOut extends Error {}

/** Whether sends need not upload the media first; asked until they need not. */
function mediaCheck({ messengers }: RunDeps, run: PreparedRun, sender: Sender): () => Promise<boolean> {
  const media = run.shared?.to(sender.channel, run.id).media;
  let isReady = media === undefined;
  return async () => {
    if (!media || isReady) return true;
    const { messenger } = await messengers.find(sender.channel, senderKey(sender));
    isReady = (await messenger?.isMediaReady(media)) ?? false;
    return isReady;
  };
}

async function sendOne(
  { pool, messengers, log }: RunDeps,
  run: PreparedRun,
  sender: Sender,
  recipient: ClaimedRecipient,
  outage: OutageBackoff,
): Promise<RecipientResult> {
  const { id, tries } = recipient;
  const { channel } = sender;
  // A bot that was removed since the claim: the next claim reassigns its recipients.
  const { messenger } = await messengers.find(channel, senderKey(sender));
  if (!messenger) {
    if (sender.bot === '' && !messengers.configured.includes(channel)) {
      return {
        id,
        status: 'failed',
        reason: 'platform_unavailable',
        error: `${channel} is not offered here.`,
      };
    }
    outage.pauseFor(NOT_CONNECTED_MS);
    return { id, status: 'queued', tries };
  }
  const fault = run.faultFor(recipient);
  if (fault !== null) return { id, status: 'failed', reason: 'invalid_message', error: fault };
  const startedAt = performance.now();
  try {
    const progress = trackProgress(recipient.media_message_id !== null, async (mediaId) => {
      const isOurs = await retryWrite(log, run.id, () => recordRecipientMedia(pool, run, id, mediaId));
      if (!isOurs) throw new FencedOut();
    });
    const { messageId } = await messenger.send(recipient.chat_id, run.messageFor(recipient).to(channel, id), {
      failFast: true,
      progress,
    });
    outage.succeeded();
    return { id, status: 'sent', platformMessageId: messageId };
  } catch (error) {
    // The newer run sends the rest; it ignores what this one records.
    if (error instanceof FencedOut) return { id, status: 'queued', tries };
    if (!(error instanceof PlatformError)) {
      log.error({ err: error, channel, broadcast_id: run.id }, 'sending a message failed unexpectedly');
      return { id, status: 'failed', reason: 'unknown', error: 'Internal error.' };
    }
    const after = afterFailure(error, tries);
    if (error.reason === 'platform_unavailable') outage.failed(startedAt);
    if (error.reason === 'rate_limited') {
      await recordThrottled(pool, messenger.bot, recipient.chat_id, error.retryAfterMs);
    }
    if (after.next === 'failed') {
      return { id, status: 'failed', reason: error.reason, error: error.platformText };
    }
    return { id, status: 'queued', tries: after.countsAsTry ? tries + 1 : tries };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await sleep(Math.min(Math.max(ms, 5), CANCEL_CHECK_MS), undefined, { signal }).catch(() => undefined);
}
