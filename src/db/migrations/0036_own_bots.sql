-- Bots of the projects themselves. The key of a bot is `<channel>:<the platform's id of the bot>`, which a new token does
-- not change; the shared bot of a channel has the channel's name as its key, and NULL in the columns `bot` below.
-- `bot_offsets.channel`, `channel_pace.channel` and `bot_webhooks.bot` hold such keys.
CREATE TABLE project_bots (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  channel text NOT NULL CHECK (channel IN ('telegram', 'max')),
  -- A bot serves one project.
  bot text NOT NULL CONSTRAINT project_bots_bot UNIQUE,
  username text NOT NULL,
  token_sealed text NOT NULL,
  -- What the platform said last: `away` does not respond, `off` refuses the token (revoked, or the bot is banned).
  status text NOT NULL DEFAULT 'connected' CHECK (status IN ('connected', 'away', 'off')),
  -- The platform's own words; null while connected.
  error text,
  status_at timestamptz NOT NULL DEFAULT now(),
  connected_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, channel)
);

-- The bot through which a subscriber came last. If it is no longer connected, the project's present bot is used.
ALTER TABLE subscribers ADD COLUMN bot text;
-- The update of the /stop that ended the subscription: one that is handled again after an outage gets the same reply.
ALTER TABLE subscribers ADD COLUMN ended_by_update bigint;

-- The bot in which the link was opened and the question was asked.
ALTER TABLE auth_sessions ADD COLUMN bot text;
ALTER TABLE auth_prompts ADD COLUMN bot text;

-- The bot that received the update. `dedupe_key` and `lane` of an own bot begin with its key, because the numbers of two
-- bots' updates, and their users, can be the same.
ALTER TABLE bot_updates ADD COLUMN bot text;

-- The bot that will send; empty for the shared one.
ALTER TABLE broadcast_recipients ADD COLUMN bot text NOT NULL DEFAULT '';
