import type { Kind, Next } from '../../../base/agenda';
import { sharedBotKey, botTexts, PlatformError, type OutgoingMessage } from '../../bots';
import type { EndpointDisabledReason } from '../../../base/contract/common';
import type { Core } from '../../../base/core';
import {
  deleteNotices,
  endNotice,
  findNextNotice,
  MEMBER_NOTICES,
  postponeNotice,
  type Notice,
} from '../queries/notices';

const MAX_PAUSE_MS = 3_600_000;
/** How long a notice waits for a turn of the bot, which single messages share. */
const TURN_WAIT_MS = 5_000;
/** Longer than a turn and a call with an upload take. */
const LEASE_MS = 120_000;

/** After this time an entry of an inactive project is checked again. It is not parked: there is one for each member only. */
const INACTIVE_WAIT_MS = 5_000;

type Deps = Pick<Core, 'pool' | 'log' | 'messengers' | 'turns' | 'publicUrl'>;

/**
 * Sends notices to members: projects take turns, chats run concurrently, and each member of a project gets one after another. At
 * least once: a notice whose process dies after the call is sent again.
 */
export function memberNotices(deps: Deps): Kind {
  return {
    name: MEMBER_NOTICES,
    concurrency: 16,
    perProject: 8,
    leaseMs: LEASE_MS,
    advance: ({ id }) => sendNext(deps, id),
  };
}

async function sendNext(deps: Deps, memberId: string): Promise<Next> {
  const notice = await findNextNotice(deps.pool, memberId);
  if (!notice) return null;
  if (!notice.is_wanted) {
    await deleteNotices(deps.pool, memberId);
    return null;
  }
  if (!notice.may_send) return { inMs: INACTIVE_WAIT_MS };
  if (notice.retry_at) return notice.retry_at;
  const pauseMs = await send(deps, notice);
  return { inMs: pauseMs };
}

/** Returns the milliseconds until the member's next notice is due. */
async function send({ pool, log, messengers, turns, publicUrl }: Deps, notice: Notice): Promise<number> {
  const message = messageOf(notice, publicUrl());
  try {
    if (message) {
      const messenger = messengers.get(notice.channel);
      if (!messenger) throw new PlatformError('platform_unavailable', 'The bot is not connected yet.');
      const hasTurn = await turns.wait({
        bot: sharedBotKey(notice.channel),
        projectId: notice.project_id,
        chatId: notice.chat_id,
        calls: 1,
        deadline: performance.now() + TURN_WAIT_MS,
      });
      if (!hasTurn) return TURN_WAIT_MS;
      await messenger.send(notice.chat_id, message);
    }
    await endNotice(pool, notice);
    return 0;
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    log.info({ reason: error.reason, event: notice.event }, 'a notice could not be sent to a member');
    if (!error.retryable) {
      await endNotice(pool, notice);
      return 0;
    }
    const pauseMs = Math.min(Math.max(2 ** notice.failures * 10_000, error.retryAfterMs ?? 0), MAX_PAUSE_MS);
    await postponeNotice(pool, notice.id, pauseMs);
    return pauseMs;
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
  { lang, event, body, message: given, project_name: project, ...notice }: Notice,
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
  if (notice.answers !== null) {
    const { answers: count, form_name, topic } = notice;
    return message(texts.answersNotice({ project, form: form_name ?? '', count }), `forms/${topic ?? ''}`);
  }
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
