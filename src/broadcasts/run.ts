import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError, pauseChannel } from '../bots';
import { channels, type Channel } from '../contract/common';
import type { Core } from '../core';
import {
  beginRun,
  claimRecipients,
  type BroadcastRun,
  type ClaimedRecipient,
  type RecipientResult,
} from './queries/runs';
import { touchBroadcast } from './queries/broadcasts';
import { outgoing } from '../messages';
import { outcomeOf, Trouble } from './outcome';
import { createBroadcastRecorder, type BroadcastRecorder } from './recorder';

export type RunDeps = Pick<Core, 'pool' | 'config' | 'messengers' | 'log'>;

export interface RunOptions {
  /** Takes nothing new from then on; what is under way ends and is recorded. */
  signal: AbortSignal;
  pageMs: number;
}

/** `drained`: nothing is left. `stopped`: cancelled, ended, or taken over. `more`: the page is over. */
export type RunEnd = 'drained' | 'stopped' | 'more';

/** Calls under way at once for each channel: a second's worth, which also bounds what a kill can leave unknown. */
const LEAST_ROOM = 50;
const TICK_MS = 100;
/** A waiting run looks this often whether it was cancelled. */
const LOOK_MS = 1_000;
const TOUCH_MS = 20_000;
const NOT_CONNECTED_MS = 5_000;

/** Sends a page of a broadcast on every channel, at the pace that all processes share. */
export async function runBroadcast(deps: RunDeps, id: string, options: RunOptions): Promise<RunEnd> {
  const { run } = await beginRun(deps.pool, id);
  if (!run) return 'stopped';
  const recorder = createBroadcastRecorder(deps, run);
  // A timer of our own: Node 20 forgets a signal of AbortSignal.timeout that only AbortSignal.any knows of.
  const over = new AbortController();
  const end = () => over.abort();
  const pageEnd = setTimeout(end, options.pageMs);
  options.signal.addEventListener('abort', end);
  if (options.signal.aborted) end();
  const touching = setInterval(() => {
    touchBroadcast(deps.pool, id).catch((err: unknown) =>
      deps.log.warn({ err, broadcast_id: id }, 'a broadcast could not be touched'),
    );
  }, TOUCH_MS);
  try {
    const ends = await Promise.all(
      channels.map((channel) =>
        runChannel(deps, run, channel, recorder, over.signal).catch((error: unknown) => {
          // The other channel ends in order, too, before the fault is reported.
          end();
          return { error };
        }),
      ),
    );
    const fault = ends.find((end) => typeof end === 'object');
    if (fault) throw fault.error;
    if (ends.includes('stopped')) return 'stopped';
    return ends.every((end) => end === 'drained') ? 'drained' : 'more';
  } finally {
    clearInterval(touching);
    clearTimeout(pageEnd);
    options.signal.removeEventListener('abort', end);
  }
}

async function runChannel(
  deps: RunDeps,
  run: BroadcastRun,
  channel: Channel,
  recorder: BroadcastRecorder,
  signal: AbortSignal,
): Promise<RunEnd> {
  const perSecond = deps.config.HERALD_BROADCAST_PER_SECOND;
  const room = Math.max(LEAST_ROOM, Math.ceil(perSecond));
  const trouble = new Trouble();
  const inFlight = new Set<Promise<void>>();
  let fault: { error: unknown } | null = null;

  function launch(recipient: ClaimedRecipient): void {
    const call = sendOne(deps, run, channel, recipient, trouble)
      .then((result) => recorder.record({ recipient, channel, result }))
      .catch((error: unknown) => void (fault ??= { error }))
      .finally(() => inFlight.delete(call));
    inFlight.add(call);
  }

  async function claimAndLaunch(): Promise<RunEnd | null> {
    while (!signal.aborted && !fault) {
      const isIdle = inFlight.size === 0;
      const wanted = Math.min(Math.ceil(room / 4), room - inFlight.size);
      if (wanted === 0) {
        await Promise.race(inFlight);
        continue;
      }
      const claim = await claimRecipients(deps.pool, run, channel, { wanted, perSecond });
      if (claim.state === 'stopped') return 'stopped';
      if (claim.state === 'empty') {
        // One that is under way may come back to be sent again.
        if (isIdle) return 'drained';
        if (inFlight.size > 0) await Promise.race(inFlight);
        continue;
      }
      for (const recipient of claim.recipients) launch(recipient);
      await pause(claim.recipients.length > 0 ? Math.max(TICK_MS, claim.waitMs) : claim.waitMs, signal);
    }
    return null;
  }

  try {
    return (await claimAndLaunch()) ?? 'more';
  } finally {
    await Promise.all(inFlight);
    if (fault) throw (fault as { error: unknown }).error;
  }
}

async function sendOne(
  { pool, messengers, log }: RunDeps,
  run: BroadcastRun,
  channel: Channel,
  recipient: ClaimedRecipient,
  trouble: Trouble,
): Promise<RecipientResult> {
  const { id, tries } = recipient;
  const messenger = messengers.get(channel);
  if (!messenger) {
    if (!messengers.configured.includes(channel)) {
      return {
        id,
        status: 'failed',
        reason: 'platform_unavailable',
        error: `${channel} is not offered here.`,
      };
    }
    await pauseChannel(pool, channel, NOT_CONNECTED_MS);
    return { id, status: 'queued', tries };
  }
  const startedAt = performance.now();
  try {
    const { messageId } = await messenger.send(recipient.chat_id, outgoing(run.content, id), {
      failFast: true,
    });
    trouble.succeeded();
    return { id, status: 'sent', platformMessageId: messageId };
  } catch (error) {
    if (!(error instanceof PlatformError)) {
      log.error(
        { err: error, channel, broadcast_id: run.id },
        'a message could not be handed to the messenger',
      );
      return { id, status: 'failed', reason: 'unknown', error: 'A fault of our own.' };
    }
    const outcome = outcomeOf(error, tries);
    const inTrouble = error.reason === 'platform_unavailable' ? trouble.failed(startedAt) : null;
    const pauseMs = outcome.next === 'again' ? (outcome.pauseMs ?? inTrouble) : inTrouble;
    if (pauseMs !== null) await pauseChannel(pool, channel, pauseMs);
    if (outcome.next === 'failed') {
      return { id, status: 'failed', reason: error.reason, error: error.platformText };
    }
    return { id, status: 'queued', tries: outcome.countsAsTry ? tries + 1 : tries };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0) return;
  await sleep(Math.min(Math.max(ms, 5), LOOK_MS), undefined, { signal }).catch(() => undefined);
}
