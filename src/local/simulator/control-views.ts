import type { Chat, ChatMessage, Media, UserFile } from './chats';
import type { Exchange } from './http';
import type { SimUser } from './users';

/** The chat as the user currently sees it. */
export function chatView(chat: Chat, user: SimUser): Record<string, unknown> {
  return {
    messages: [...chat.messages.values()].map(messageView),
    toasts: chat.toasts,
    started: user.started,
    blocked: user.blocked,
  };
}

function messageView({
  id,
  from,
  text,
  editedAt,
  buttons,
  entities,
  media,
  file,
  replyTo,
}: ChatMessage): Record<string, unknown> {
  return {
    message_id: id,
    from,
    text,
    edited: editedAt !== null,
    buttons,
    ...(entities.length > 0 && { entities }),
    attachments: [...(media ? [mediaView(media)] : []), ...(file ? [fileView(file)] : [])],
    ...(replyTo && { reply_to: replyTo.id }),
    ...(media && { media: { type: media.type, url: media.url } }),
  };
}

/** Of a file that the bot has sent, only its address is known. */
function mediaView({ type, url }: Media): Record<string, unknown> {
  return { type, url, name: null, mime: null, bytes: null };
}

function fileView({ type, name, mime, bytes }: UserFile): Record<string, unknown> {
  return { type, url: '', name, mime, bytes };
}

const HEARTBEAT_MS = 15_000;

/** Sends the whole chat after every change; several changes at once become one event. */
export function streamChat({ res, signal }: Exchange, chat: Chat, user: SimUser): undefined {
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'keep-alive',
  });
  let scheduled = false;
  const send = () => {
    scheduled = false;
    if (!res.writableEnded) res.write(`event: chat\ndata: ${JSON.stringify(chatView(chat, user))}\n\n`);
  };
  const watcher = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(send);
  };
  const heartbeat = setInterval(() => res.write(': still here\n\n'), HEARTBEAT_MS);
  chat.watchers.add(watcher);
  signal.addEventListener(
    'abort',
    () => {
      clearInterval(heartbeat);
      chat.watchers.delete(watcher);
      res.end();
    },
    { once: true },
  );
  send();
  return undefined;
}
