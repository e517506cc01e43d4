import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../base/contract/errors';
import { followedLists } from '../../base/contract/followed-lists';
import { exampleId, exampleTime } from '../../base/contract/common';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { EventStream, route } from '../../base/http/route';
import { endedBy } from '../../base/lib/ended-by';
import { isoTime } from '../../base/lib/iso-time';
import { eventNameSchema, eventNames, eventRegistry } from './contract';
import { followChanges, followEvents } from './follow';
import {
  endOfStream,
  isKnownPlace,
  placeAfter,
  type StreamedEvent,
  type StreamPlace,
} from './queries/stream';

/** Shorter than the idle limit of common proxies. */
const KEEP_ALIVE_MS = 15_000;
/** After a refusal because the process has too many streams. */
const RETRY_SECONDS = 10;

/** A place between events and the second in which the stream was there: of an id that belongs to no event. */
const PLACE = /^(\d{1,15})\.(\d{1,11})$/;

/** Names separated by commas. */
const listOf = <S extends z.ZodType<string, string>>(name: S, most: number) =>
  z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(name).min(1).max(most))
    .optional();

const streamQuery = z
  .strictObject({
    events: listOf(eventNameSchema, eventNames.length).meta({
      description: 'Names of events, separated by commas. Default: all.',
    }),
    changes: listOf(z.enum(followedLists), followedLists.length).meta({
      description: `${followedLists.map((list) => `\`${list}\``).join(' or ')}, or both separated by a comma. Instead of events, the stream sends a message of that type with the data \`{}\` when the list may have changed: once at the start, then at most once a second.`,
    }),
  })
  .refine(({ events, changes }) => !events || !changes, {
    path: ['changes'],
    message: 'cannot be combined with events',
  });
const resumeHeaders = z.object({
  'last-event-id': z
    .union([z.uuid(), z.string().regex(PLACE)])
    .optional()
    .meta({ description: 'The last `id` that was received; resumes after it.' }),
});

type Deps = Pick<Core, 'pool' | 'notifications' | 'log'> & {
  /** Aborts when the process stops. */
  stopping: AbortSignal;
};

/** The project's events as server-sent events, for `herald listen` and the dashboard. */
export function createStreamRoutes(deps: Deps) {
  const open = new Map<string, number>();
  let openTotal = 0;

  /** Returns the function that releases the slot. Streams of events and of changes are counted separately. */
  function acquireSlot(key: string): () => void {
    const count = open.get(key) ?? 0;
    if (count >= limits.eventStreams) {
      throw new AppError('conflict', `At most ${limits.eventStreams} streams can be open at once.`);
    }
    if (openTotal >= limits.eventStreamsPerProcess) {
      throw new AppError('service_unavailable', 'Too many streams are open. Retry in a moment.', {
        retryAfter: RETRY_SECONDS,
      });
    }
    open.set(key, count + 1);
    openTotal += 1;
    return () => {
      openTotal -= 1;
      const left = (open.get(key) ?? 1) - 1;
      if (left > 0) open.set(key, left);
      else open.delete(key);
    };
  }

  /** The place where a stream begins; `gap` tells that it could not begin after the last event. */
  async function beginning(projectId: string, lastId: string | undefined) {
    const resumed = lastId === undefined ? null : await placeOf(deps.pool, projectId, lastId);
    const after = resumed ?? (await endOfStream(deps.pool, projectId));
    return { after, hasGap: lastId !== undefined && !resumed };
  }

  return [
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/stream',
        summary: 'Follow events',
        description: `Every event of the project as it happens, as server-sent events; \`data\` is JSON with \`event_id\`, \`event\`, \`test\`, \`created_at\` and \`body\`, the text that endpoints get. \`Last-Event-ID\` resumes within ${limits.eventStreamMinutes} minutes; where that is not possible, the stream begins with an event of the type \`gap\`. It is no endpoint and changes no deliveries. At most ${limits.eventStreams} streams of events and ${limits.eventStreams} of changes at once.`,
        tag: 'Webhooks',
        query: streamQuery,
        headers: resumeHeaders,
        response: ['text/event-stream'],
        example: exampleFrame,
        errors: ['conflict'],
      },
      async ({ project, query, headers, access }) => {
        const signal = AbortSignal.any([access(), deps.stopping]);
        const { changes, events } = query;
        const releaseSlot = acquireSlot(changes ? `${project.id}/changes` : project.id);
        if (signal.aborted) releaseSlot();
        else signal.addEventListener('abort', releaseSlot, { once: true });
        const frames = changes
          ? changeFrames(deps, { projectId: project.id, lists: changes, signal })
          : eventFrames(deps, {
              projectId: project.id,
              ...(await beginning(project.id, headers['last-event-id'])),
              names: events ?? null,
              signal,
            });
        return new EventStream(endedBy(signal, Readable.from(frames, { objectMode: false })));
      },
    ),
  ];
}

/** Where a stream goes on that has received this id; null if that is not known or too long ago. */
async function placeOf(pool: Core['pool'], projectId: string, lastId: string): Promise<StreamPlace | null> {
  const [, seq, second] = PLACE.exec(lastId) ?? [];
  if (seq === undefined) return placeAfter(pool, projectId, lastId);
  const place = Number(seq);
  const isRecent = Date.now() / 1000 - Number(second) < limits.eventStreamMinutes * 60;
  return isRecent && (await isKnownPlace(pool, place)) ? place : null;
}

interface EventFrames {
  projectId: string;
  after: StreamPlace;
  names: string[] | null;
  hasGap: boolean;
  signal: AbortSignal;
}

async function* eventFrames(deps: Deps, { hasGap, ...followed }: EventFrames): AsyncGenerator<string, void> {
  yield ': open\n\n';
  if (hasGap) yield `event: gap\ndata: {"reason":"The last event is unknown or too old."}\n\n`;
  yield placeFrame(followed.after);
  try {
    yield* keptAlive(
      followEvents(deps, followed),
      ({ events }) => events.map(eventFrame).join(''),
      ({ place }) => placeFrame(place),
    );
  } catch (err) {
    // The reader connects again and resumes.
    deps.log.warn({ err, project_id: followed.projectId }, 'a stream of events ended early');
  }
}

function eventFrame({ id, name, test, created_at, body }: Omit<StreamedEvent, 'seq'>): string {
  const data = { event_id: id, event: name, test, created_at: isoTime(created_at), body };
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

function exampleFrame(): string {
  const name = 'auth.completed';
  const body = JSON.stringify({ event: name, data: eventRegistry[name].example });
  return eventFrame({ id: exampleId, name, test: false, created_at: new Date(exampleTime), body });
}

/** An id without data: a reader that has received no event for a while resumes here. */
function placeFrame(place: StreamPlace): string {
  return `id: ${place}.${Math.floor(Date.now() / 1000)}\n\n`;
}

async function* changeFrames(
  deps: Deps,
  followed: Parameters<typeof followChanges>[1],
): AsyncGenerator<string, void> {
  yield ': open\n\n';
  yield* keptAlive(
    followChanges(deps, followed),
    (lists) => lists.map((list) => `event: ${list}\ndata: {}\n\n`).join(''),
    () => ':\n\n',
  );
}

/** The frames of each group; after a while without any, what keeps the connection open. */
async function* keptAlive<Group>(
  groups: AsyncIterable<Group>,
  framesOf: (group: Group) => string,
  keepAlive: (group: Group) => string,
): AsyncGenerator<string, void> {
  let quietSince = Date.now();
  for await (const group of groups) {
    const frames = framesOf(group);
    if (frames !== '') yield frames;
    else if (Date.now() - quietSince < KEEP_ALIVE_MS) continue;
    else yield keepAlive(group);
    quietSince = Date.now();
  }
}
