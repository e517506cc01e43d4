ALTER TABLE projects ADD COLUMN session_counter int NOT NULL DEFAULT 0;

-- Subscribers, bot updates, login sessions with their answers and credits, and the events that they cause.

CREATE TABLE subscribers (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  channel text NOT NULL CHECK (channel IN ('telegram', 'max')),
  -- The user's id and chat in the messenger: text, because the platforms own their form.
  platform_user_id text NOT NULL,
  chat_id text NOT NULL,
  external_id text,
  first_name text NOT NULL,
  username text,
  lang text NOT NULL CHECK (lang IN ('ru', 'en')),
  permissions text[] NOT NULL DEFAULT '{}',
  tags text[] NOT NULL DEFAULT '{}',
  active boolean NOT NULL DEFAULT true,
  blocked boolean NOT NULL DEFAULT false,
  -- The block ended a live subscription: an unblock brings it back. A /stop does not set it.
  ended_by_block boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, channel, platform_user_id)
);
CREATE INDEX subscribers_page ON subscribers (project_id, created_at DESC, id DESC);
CREATE INDEX subscribers_external ON subscribers (project_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX subscribers_platform ON subscribers (channel, platform_user_id);

-- Updates of the messengers: stored and deduplicated before they are acknowledged, handled once, in order per chat.
CREATE TABLE bot_updates (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel text NOT NULL,
  dedupe_key text NOT NULL,
  -- `user:<id>` for a private chat (MAX may leave the chat out), else the chat's id: updates of one lane are handled
  -- one at a time, in the order of their ids.
  lane text NOT NULL,
  -- The platform's own words (json, not jsonb, keeps any of them); erased once handled, for they hold names and tokens.
  payload json,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  handled_at timestamptz,
  failures int NOT NULL DEFAULT 0,
  last_error text,
  retry_at timestamptz,
  leased_until timestamptz,
  -- Set aside after failing again and again; shown by `herald doctor`.
  set_aside_at timestamptz,
  UNIQUE (channel, dedupe_key)
);
CREATE INDEX bot_updates_waiting ON bot_updates (channel, lane, id) WHERE handled_at IS NULL AND set_aside_at IS NULL;
CREATE INDEX bot_updates_received ON bot_updates (received_at);

-- Where long polling goes on; moved in the transaction that stores the updates before it.
CREATE TABLE bot_offsets (
  channel text PRIMARY KEY,
  position text NOT NULL,
  moved_at timestamptz NOT NULL
);

CREATE TABLE auth_sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  flow text NOT NULL CHECK (flow IN ('session', 'static')),
  -- Sessions of the API are numbered in their project: the hourly window looks at one row instead of counting many.
  number int,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'confirmed', 'declined', 'expired', 'consumed')),
  decline_reason text CHECK (decline_reason IN ('user', 'billing_blocked')),
  -- Three independent random values: the id is seen by operators, the start token by onlookers of the QR.
  start_hash bytea UNIQUE,
  start_sealed text,
  hosted_hash bytea UNIQUE,
  hosted_browser_hash bytea,
  state text,
  redirect_uri text,
  client_ip text,
  user_agent text,
  code_challenge text,
  match_code text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  workflow_started_at timestamptz,
  start_leased_until timestamptz,
  -- Who opened the link: only that user may answer.
  channel text CHECK (channel IN ('telegram', 'max')),
  platform_user_id text,
  chat_id text,
  lang text,
  subscriber_id uuid REFERENCES subscribers ON DELETE SET NULL,
  -- The one-time code: found by its hash, its value kept sealed for repeated polls and erased on use.
  code_hash bytea UNIQUE,
  code_sealed text,
  code_expires_at timestamptz,
  consumed_at timestamptz
);
CREATE INDEX auth_sessions_page ON auth_sessions (project_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX auth_sessions_number ON auth_sessions (project_id, number);
CREATE INDEX auth_sessions_address ON auth_sessions (project_id, client_ip, created_at) WHERE client_ip IS NOT NULL;
CREATE INDEX auth_sessions_unstarted ON auth_sessions (created_at) WHERE workflow_started_at IS NULL;
CREATE INDEX auth_sessions_open ON auth_sessions (expires_at) WHERE status IN ('pending', 'confirmed');
-- A static link: one live session for each user and project.
CREATE UNIQUE INDEX auth_sessions_static_live ON auth_sessions (project_id, channel, platform_user_id)
  WHERE flow = 'static' AND status = 'pending';

-- The bot's questions. A session can be asked again (the link opened twice); only the newest prompt counts.
CREATE TABLE auth_prompts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES auth_sessions ON DELETE CASCADE,
  -- Bound to user, chat, message and session: callback data can be forged.
  nonce_hash bytea NOT NULL UNIQUE,
  channel text NOT NULL,
  chat_id text NOT NULL,
  platform_user_id text NOT NULL,
  message_id text,
  update_id bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  closed_at timestamptz
);
CREATE INDEX auth_prompts_session ON auth_prompts (session_id, id);
CREATE INDEX auth_prompts_update ON auth_prompts (update_id);

-- Taps on Yes and No that passed every check; the workflow's transaction takes the first one in time.
CREATE TABLE auth_answers (
  update_id bigint PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES auth_sessions ON DELETE CASCADE,
  answer text NOT NULL CHECK (answer IN ('yes', 'no')),
  first_name text NOT NULL,
  username text,
  received_at timestamptz NOT NULL
);
CREATE INDEX auth_answers_session ON auth_answers (session_id, received_at, update_id);

-- When a session was last polled, to hold the pace of one a second across processes. Unlogged: it is worth a second.
CREATE UNLOGGED TABLE auth_polls (
  session_id uuid PRIMARY KEY,
  polled_at timestamptz NOT NULL
);

-- Openings of static links, to hold five a minute for each user.
CREATE TABLE auth_openings (
  channel text NOT NULL,
  platform_user_id text NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX auth_openings_user ON auth_openings (channel, platform_user_id, opened_at);

-- Logins that a calendar month (UTC) has taken from the plan: kept as a number, because counting the ledger grows.
CREATE TABLE credit_months (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  month date NOT NULL,
  used int NOT NULL DEFAULT 0,
  PRIMARY KEY (project_id, month)
);

-- One row for each charged login. UNIQUE(session) makes a second charge impossible.
CREATE TABLE credit_ledger (
  session_id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('plan', 'pack', 'grace')),
  charged_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX credit_ledger_month ON credit_ledger (project_id, charged_at);

-- The outbox. The body's bytes are fixed here, in the transaction that causes the event.
CREATE TABLE events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX events_project ON events (project_id, created_at DESC);
