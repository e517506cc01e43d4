import type { FollowedList } from '../../src/base/contract/followed-lists';
import { openChanges } from './api';

/*
 * Keeps lists on screen current. While the tab is visible and shows one, a single stream of the API says which list has
 * changed; the components that show it read it again. Only while there is no stream, lists are read at an interval instead.
 */

const WITHOUT_STREAM_MS = 10_000;
const RETRY_MS = { first: 1_000, most: 30_000 };
/** The service sends something at least every 15 seconds. */
const SILENT_MS = 40_000;
/** From one page to the next, no list is shown for a moment. */
const LINGER_MS = 2_000;

const followers = new Map<FollowedList, Set<() => void>>();
let stream: AbortController | null = null;

/** Calls `changed` when the list may have changed. Returns what ends it. */
export function follow(list: FollowedList, changed: () => void): () => void {
  const set = followers.get(list) ?? new Set();
  followers.set(list, set.add(changed));
  openOrClose();
  return () => {
    set.delete(changed);
    setTimeout(openOrClose, LINGER_MS);
  };
}

/** After a new sign-in or a switch of project, the open stream belongs to the former one. */
export function restartLive(): void {
  stopStream();
  openOrClose();
}

/** Before signing out: the service cuts a stream whose session ends, which browsers report as a fault. */
export const stopLive = stopStream;

document.addEventListener('visibilitychange', openOrClose);

function openOrClose(): void {
  const isWanted =
    document.visibilityState === 'visible' && [...followers.values()].some(({ size }) => size > 0);
  if (isWanted && !stream) {
    stream = new AbortController();
    void run(stream.signal);
  } else if (!isWanted && stream) {
    stopStream();
  }
}

function stopStream(): void {
  stream?.abort();
  stream = null;
  poll(false);
}

function notifyFollowers(list: string): void {
  for (const changed of followers.get(list as FollowedList) ?? []) changed();
}

let polling: ReturnType<typeof setInterval> | undefined;
function poll(on: boolean): void {
  clearInterval(polling);
  polling = on
    ? setInterval(() => [...followers.keys()].forEach(notifyFollowers), WITHOUT_STREAM_MS)
    : undefined;
}

async function run(signal: AbortSignal): Promise<void> {
  let retryMs = RETRY_MS.first;
  while (!signal.aborted) {
    poll(true);
    try {
      await read(signal, () => {
        poll(false);
        retryMs = RETRY_MS.first;
      });
    } catch {
      // Opened again below.
    }
    if (signal.aborted) return;
    poll(true);
    await pause(retryMs * (0.5 + Math.random() / 2), signal);
    retryMs = Math.min(retryMs * 2, RETRY_MS.most);
  }
}

/** Reads one stream until it ends or says nothing for too long. Its first message names every list. */
async function read(signal: AbortSignal, opened: () => void): Promise<void> {
  const given = new AbortController();
  const giveUp = () => given.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  let silence = setTimeout(giveUp, SILENT_MS);
  try {
    const reader = (await openChanges(given.signal)).getReader();
    const decoder = new TextDecoder();
    for (let text = ''; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      // Headers alone prove nothing: a proxy may hold the body back.
      opened();
      clearTimeout(silence);
      silence = setTimeout(giveUp, SILENT_MS);
      const lines = (text + decoder.decode(value, { stream: true })).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('event: ')) notifyFollowers(line.slice('event: '.length));
    }
  } finally {
    clearTimeout(silence);
    given.abort();
    signal.removeEventListener('abort', giveUp);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
