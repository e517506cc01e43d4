import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { EventStream, route } from '../http/route';
import { isoTime } from '../lib/iso-time';
import { eventNameSchema, eventNames } from './contract';
import { followEvents } from './follow';
import { endOfStream, placeAfter, type StreamedEvent, type StreamPlace } from './queries/stream';

/** Shorter than the idle limit of common proxies. */
const KEEP_ALIVE_MS = 15_000;

const eventsQuery = z.strictObject({
  events: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(eventNameSchema).min(1).max(eventNames.length))
    .optional()
    .meta({ description: 'Names of events, separated by commas. Default: all.' }),
});
const resumeHeaders = z.object({
  'last-event-id': z
    .uuid()
    .optional()
    .meta({ description: `The id of the last event that was received; resumes after it.` }),
});

type Deps = Pick<Core, 'pool' | 'notifications' | 'log'> & {
  /** Aborts when the process stops. */
  stopping: AbortSignal;
};

/** The project's events as server-sent events, for `herald listen` and the dashboard. */
export function createStreamRoutes(deps: Deps) {
  const open = new Map<string, number>();

  /** Returns what gives the place of one stream back. */
  function takePlace(projectId: string): () => void {
    const count = open.get(projectId) ?? 0;
    if (count >= limits.eventStreams) {
      throw new AppError('conflict', `At most ${limits.eventStreams} streams can be open at once.`);
    }
    open.set(projectId, count + 1);
    return () => {
      const left = (open.get(projectId) ?? 1) - 1;
      if (left > 0) open.set(projectId, left);
      else open.delete(projectId);
    };
  }

  /** The place where a stream begins; `gap` tells that it could not begin after the last event. */
  async function beginning(projectId: string, lastId: string | undefined) {
    const resumed = lastId === undefined ? null : await placeAfter(deps.pool, projectId, lastId);
    const after = resumed ?? (await endOfStream(deps.pool));
    return { after, hasGap: lastId !== undefined && !resumed };
  }

  return [
    route(
      {
        method: 'GET',
        path: '/v1/webhooks/stream',
        summary: 'Follow events',
        description: `Every event of the project as it happens, as server-sent events; \`data\` is JSON with \`event_id\`, \`event\`, \`test\`, \`created_at\` and \`body\`, the text that endpoints get. \`Last-Event-ID\` resumes within ${limits.eventStreamMinutes} minutes; where that is not possible, the stream begins with an event of the type \`gap\`. It is no endpoint and changes no deliveries. At most ${limits.eventStreams} at once.`,
        tag: 'Webhooks',
        auth: 'key',
        query: eventsQuery,
        headers: resumeHeaders,
        status: 200,
        response: ['text/event-stream'],
        errors: ['conflict'],
      },
      async ({ project, query, headers, access }) => {
        const signal = AbortSignal.any([access(), deps.stopping]);
        const givePlaceBack = takePlace(project.id);
        if (signal.aborted) givePlaceBack();
        else signal.addEventListener('abort', givePlaceBack, { once: true });
        const frames = streamFrames(deps, {
          projectId: project.id,
          ...(await beginning(project.id, headers['last-event-id'])),
          names: query.events ?? null,
          signal,
        });
        const stream = Readable.from(frames, { objectMode: false });
        // Also for a reader that takes nothing more.
        signal.addEventListener('abort', () => stream.destroy(), { once: true });
        return new EventStream(stream);
      },
    ),
  ];
}

interface Frames {
  projectId: string;
  after: StreamPlace;
  names: string[] | null;
  hasGap: boolean;
  signal: AbortSignal;
}

async function* streamFrames(deps: Deps, { hasGap, ...followed }: Frames): AsyncGenerator<string, void> {
  yield ': open\n\n';
  if (hasGap) yield `event: gap\ndata: {"reason":"The last event is unknown or too old."}\n\n`;
  let quietSince = Date.now();
  try {
    for await (const events of followEvents(deps, followed)) {
      if (events.length > 0) yield events.map(frame).join('');
      else if (Date.now() - quietSince < KEEP_ALIVE_MS) continue;
      else yield ':\n\n';
      quietSince = Date.now();
    }
  } catch (err) {
    // The reader connects again and resumes.
    deps.log.warn({ err, project_id: followed.projectId }, 'a stream of events ended early');
  }
}

function frame({ id, name, test, created_at, body }: StreamedEvent): string {
  const data = { event_id: id, event: name, test, created_at: isoTime(created_at), body };
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
