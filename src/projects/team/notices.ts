import { sharedBotKey, botTexts, PlatformError, type OutgoingMessage } from '../../bots';
import type { EndpointDisabledReason } from '../../contract/common';
import type { Core } from '../../core';
import { startPeriodicJob, type PeriodicJob } from '../../lib/periodic-job';
import { claimNotices, deleteNotice, postponeNotice, type Notice } from '../queries/notices';

const SWEEP_MS = 1_000;
const BATCH = 20;
const MAX_PAUSE_SECONDS = 3_600;

type Deps = Pick<Core, 'pool' | 'log' | 'messengers' | 'turns' | 'publicUrl'>;

/** Sends the notices that are due. One whose process dies after the call is sent again: at least once. */
async function sendDueNotices(deps: Deps): Promise<number> {
  const notices = await claimNotices(deps.pool, BATCH);
  for (const notice of notices) await send(deps, notice);
  return notices.length;
}

async function send({ pool, log, messengers, turns, publicUrl }: Deps, notice: Notice): Promise<void> {
  const message = messageOf(notice, publicUrl());
  try {
    const messenger = messengers.get(notice.channel);
    if (!messenger) throw new PlatformError('platform_unavailable', 'The bot is not connected yet.');
    if (message) {
      await messenger.send(notice.chat_id, message);
      turns.count(sharedBotKey(notice.channel), 1);
    }
    await deleteNotice(pool, notice.id);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.info({ reason: error.reason, event: notice.event }, 'a notice could not be sent to a member');
    if (!error.retryable) await deleteNotice(pool, notice.id);
    else await postponeNotice(pool, notice.id, Math.min(2 ** notice.failures * 10, MAX_PAUSE_SECONDS));
  }
}

/** The data of the events that members get notices of. */
interface NoticeData {
  endpoint_id?: string;
  url?: string;
  reason?: EndpointDisabledReason;
  ticket_id?: string;
  number?: number;
  subject?: string | null;
  text?: string;
}

function ticketOf(project: string, { number = 0, subject, text = '' }: NoticeData) {
  return { project, number, about: [subject, text].filter(Boolean).join(': ') };
}

/** Null for an event that members get no notice of. */
function messageOf(
  { lang, event, body, message: given, project_name: project }: Notice,
  publicUrl: string,
): OutgoingMessage | null {
  if (given) return given as OutgoingMessage;
  const texts = botTexts[lang];
  const { data } = JSON.parse(body ?? '{"data":{}}') as { data: NoticeData };
  const url = data.url ?? '';
  const message = (text: string, path: string): OutgoingMessage => ({
    text,
    buttons: [[{ text: texts.openDashboard, url: `${publicUrl}/dashboard/${path}` }]],
  });
  const endpoint = `webhooks/${data.endpoint_id ?? ''}`;
  const ticket = `inbox/${data.ticket_id ?? ''}`;
  switch (event) {
    case 'endpoint.failing':
      return message(texts.endpointFailing(project, url), endpoint);
    case 'endpoint.disabled':
      return message(texts.endpointDisabled(project, url, data.reason ?? 'failing'), endpoint);
    case 'endpoint.recovered':
      return message(texts.endpointRecovered(project, url), endpoint);
    case 'credits.low':
      return message(texts.creditsLow(project), 'logins');
    case 'credits.exhausted':
      return message(texts.creditsExhausted(project), 'logins');
    case 'ticket.created':
      return message(texts.ticketCreatedNotice(ticketOf(project, data)), ticket);
    case 'ticket.replied':
      return message(texts.ticketRepliedNotice(ticketOf(project, data)), ticket);
    case 'ticket.unanswered_24h':
      return message(texts.ticketUnansweredNotice(ticketOf(project, data)), ticket);
    default:
      return null;
  }
}

/** Safe to run in several processes: a notice that another one has claimed is left to it. */
export function startMemberNotices(deps: Deps): PeriodicJob {
  return startPeriodicJob({
    everyMs: SWEEP_MS,
    run: () => sendDueNotices(deps),
    log: deps.log,
    failure: 'notices could not be sent to members',
  });
}
