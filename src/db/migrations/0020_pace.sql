-- The pace of messages: per bot (channel_pace), per chat, and shared fairly between projects. `channel_pace.channel` is
-- the bot's key; the shared bot of a channel has the channel's name. Lock order: channel_pace, then chats and turns.

-- When a chat may get its next message. The key is a hash of bot and chat id, so that no personal data is kept. Unlogged:
-- after a crash of the database a chat is at worst a second early.
CREATE UNLOGGED TABLE chat_pace (
  chat bigint PRIMARY KEY,
  bot text NOT NULL,
  next_at timestamptz NOT NULL,
  -- The platform's last 429 for this chat.
  throttled_at timestamptz
);
CREATE INDEX chat_pace_throttled ON chat_pace (bot, throttled_at) WHERE throttled_at IS NOT NULL;

-- Projects that wait for a bot. A row is removed when its project gets all it asked for; `waiting_until` ends the wait
-- of a process that died.
CREATE UNLOGGED TABLE bot_turns (
  bot text NOT NULL,
  -- Single messages and one-time codes, which go before broadcasts.
  urgent boolean NOT NULL,
  project_id uuid NOT NULL,
  -- Calls made since the project began to wait, counted from the lowest of the others at that time.
  served float8 NOT NULL,
  waiting_until timestamptz NOT NULL,
  PRIMARY KEY (bot, urgent, project_id)
);

-- The last attempt of the bots role to register a bot's webhook, for `herald doctor`. One row for each bot.
CREATE TABLE bot_webhooks (
  bot text PRIMARY KEY,
  url text NOT NULL,
  -- Null if the platform accepted it.
  error text,
  attempted_at timestamptz NOT NULL
);

-- The update that opened the link: one that is handled again while the platform is away counts once.
ALTER TABLE auth_openings ADD COLUMN update_id bigint;
