-- The whole schema, in sections by room: a table belongs to one room, whose name heads its section.
-- Until 1.0.0 is released it is edited in place; afterwards migrations are append-only.

-- ======
-- agenda
-- ======
-- What is due, and which process handles it.

-- One entry for each row of a domain that has something due: src/base/agenda/README.md. No foreign keys: an entry whose row is gone
-- is removed when it is due.
CREATE TABLE agenda (
  kind text NOT NULL,
  id uuid NOT NULL,
  project_id uuid NOT NULL,
  due_at timestamptz NOT NULL,
  -- When the lease of the process that has claimed the entry ends. In no index, so that a claim writes none.
  leased_until timestamptz,
  -- Counts the changes, so that one that commits while a process works on the entry is not lost.
  revision int NOT NULL DEFAULT 1,
  PRIMARY KEY (kind, id)
) WITH (fillfactor = 80);
CREATE INDEX agenda_due ON agenda (kind, due_at);
CREATE INDEX agenda_turns ON agenda (kind, project_id, due_at);
-- Entries that are parked until their project is active.
CREATE INDEX agenda_parked ON agenda (project_id) WHERE due_at = 'infinity';

-- ========
-- projects
-- ========
-- Projects, keys, billing, dashboard sessions.

CREATE TABLE projects (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9-]{3,50}$'),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  active boolean NOT NULL DEFAULT true,
  plan text NOT NULL DEFAULT 'free' CHECK (plan IN ('free', 'basic')),
  callback_url text,
  redirect_urls text[] NOT NULL DEFAULT '{}',
  retry_policy text NOT NULL DEFAULT 'durable' CHECK (retry_policy IN ('durable', 'quick')),
  -- Null means: the limit of the table in contracts/limits.ts.
  requests_per_minute int CHECK (requests_per_minute > 0),
  events_per_minute int CHECK (events_per_minute > 0),
  queued_deliveries int CHECK (queued_deliveries > 0),
  sessions_per_hour int CHECK (sessions_per_hour > 0),
  sessions_per_address int CHECK (sessions_per_address > 0),
  purchased_credits int NOT NULL DEFAULT 0 CHECK (purchased_credits >= 0),
  grace_started_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  session_counter bigint NOT NULL DEFAULT 0,
  -- What the bot adds, in the project's own words, after a login or a subscription.
  welcome_en text CHECK (length(welcome_en) BETWEEN 1 AND 500),
  welcome_ru text CHECK (length(welcome_ru) BETWEEN 1 AND 500),
  -- An IANA name.
  timezone text NOT NULL DEFAULT 'UTC',
  -- Open scheduled and recurring messages and chains together; null: the default.
  scheduled_entries int CHECK (scheduled_entries > 0),
  -- A project that belongs to Herald itself, by its purpose.
  system_purpose text UNIQUE CHECK (system_purpose = 'sign_in')
);

-- How a project's hosted login page looks. A table of its own, so that reading a project does not read the logo.
CREATE TABLE project_brands (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  color text CHECK (color ~ '^#[0-9a-f]{6}$'),
  privacy_url text,
  -- Where the logo was fetched from; null if it was uploaded.
  logo_url text,
  -- Part of the logo's path; a new logo has a new one, so that browsers can cache it.
  logo_id uuid UNIQUE,
  logo_type text CHECK (logo_type IN ('image/png', 'image/jpeg', 'image/webp')),
  logo bytea CHECK (octet_length(logo) <= 524288),
  CHECK (num_nulls(logo_id, logo_type, logo) IN (0, 3)),
  CHECK (logo_url IS NULL OR logo IS NOT NULL)
);
-- An image is compressed already.
ALTER TABLE project_brands ALTER COLUMN logo SET STORAGE EXTERNAL;

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- SHA-256 of the key: 40 base62 characters are beyond guessing, so no slow hash is needed.
  hash bytea NOT NULL UNIQUE,
  -- The first characters, so that people can tell their keys apart.
  hint text NOT NULL,
  name text,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- Scopes of API keys. The default is every scope but `publish`, which only the CLI grants.
  scopes text[] NOT NULL DEFAULT '{read,send,auth,helpdesk,export,admin,manage}'
);
CREATE INDEX api_keys_project ON api_keys (project_id, created_at DESC);
-- For retention, as those on the ends of other tables.
CREATE INDEX api_keys_revoked ON api_keys (revoked_at) WHERE revoked_at IS NOT NULL;

-- One row for each charged login. UNIQUE(session) makes a second charge impossible.
CREATE TABLE credit_ledger (
  session_id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  source text NOT NULL CHECK (source IN ('plan', 'pack', 'grace')),
  charged_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX credit_ledger_month ON credit_ledger (project_id, charged_at);
CREATE INDEX credit_ledger_by_age ON credit_ledger (charged_at, session_id);

-- Logins that a calendar month (UTC) has taken from the plan: kept as a number, because counting the ledger grows.
CREATE TABLE credit_months (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  month date NOT NULL,
  used int NOT NULL DEFAULT 0,
  -- When credits.exhausted was emitted.
  exhausted_at timestamptz,
  PRIMARY KEY (project_id, month)
);
CREATE INDEX credit_months_month ON credit_months (month);

-- People who use the dashboard, and their places in the teams of projects. An account is a user of a messenger; a user
-- who comes through two messengers has two.
CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  channel text NOT NULL,
  platform_user_id text NOT NULL,
  chat_id text NOT NULL,
  first_name text NOT NULL,
  username text,
  lang text NOT NULL CHECK (lang IN ('ru', 'en')),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The last sign-in or invitation: an account without a team ends some time after it.
  seen_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel, platform_user_id)
);
CREATE INDEX accounts_seen ON accounts (seen_at);

-- Sign-ins to the dashboard. The cookie's value is kept as its hash; a revoked key ends its sessions at once.
CREATE TABLE dashboard_sessions (
  hash bytea PRIMARY KEY,
  key_id uuid REFERENCES api_keys ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  account_id uuid REFERENCES accounts ON DELETE CASCADE,
  project_id uuid REFERENCES projects ON DELETE SET NULL,
  ip text,
  user_agent text,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT dashboard_sessions_owner CHECK (num_nonnulls(key_id, account_id) = 1)
);
CREATE INDEX dashboard_sessions_age ON dashboard_sessions (expires_at);
-- Sessions of an account, of a key, and by the id that lists of them show.
CREATE UNIQUE INDEX dashboard_sessions_id ON dashboard_sessions (id);
CREATE INDEX dashboard_sessions_account ON dashboard_sessions (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX dashboard_sessions_key ON dashboard_sessions (key_id) WHERE key_id IS NOT NULL;

-- Who changed what in a project. No contents: the action, what was changed and, of settings, their values before and after.
CREATE TABLE audit_entries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  actor_type text NOT NULL CHECK (actor_type IN ('member', 'key', 'cli', 'system')),
  actor_id uuid,
  action text NOT NULL,
  target_id text,
  -- As it was called then.
  target_name text,
  -- [{field, before, after}]
  changes jsonb NOT NULL DEFAULT '[]',
  ip text,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- The latest name of what an entry names.
CREATE INDEX audit_entries_name ON audit_entries (project_id, target_id, at DESC) WHERE target_name IS NOT NULL;
CREATE INDEX audit_entries_page ON audit_entries (project_id, at DESC, id DESC);
CREATE INDEX audit_entries_age ON audit_entries (at);

-- ====
-- http
-- ====
-- Requests: limits and idempotency.

-- Unlogged: counters of a minute need not survive a crash of the database. `expire`: when the window ends, in milliseconds.
CREATE UNLOGGED TABLE request_counters (
  key varchar(255) PRIMARY KEY,
  points int NOT NULL DEFAULT 0,
  expire bigint
);

CREATE TABLE idempotency_keys (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  request_id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Who runs it, until when that one is believed to be alive. Both null once there is a response.
  owner uuid,
  leased_until timestamptz,
  -- The recorded response: a body, or an error's code and text. The body is encrypted: it can contain links and tokens of a
  -- login.
  response_sealed text,
  error_code text,
  error_text text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_request ON idempotency_keys (request_id);

-- =======
-- exports
-- =======
-- CSV exports.

-- The export that a project runs. The lease ends with its process.
CREATE TABLE exports (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  token uuid NOT NULL,
  leased_until timestamptz NOT NULL
);

-- ====
-- bots
-- ====
-- Messengers: own bots, update intake, pace, uploads.

-- Bots of the projects themselves. The key of a bot is `<channel>:<the platform's id of the bot>`, which a new token does
-- not change; the shared bot of a channel has the channel's name as its key, and NULL in most columns `bot` below.
-- The columns `bot` of `bot_offsets`, `bot_pace` and `bot_webhooks` hold such keys.
CREATE TABLE project_bots (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  channel text NOT NULL,
  -- A bot serves one project.
  bot text NOT NULL CONSTRAINT project_bots_bot UNIQUE,
  username text NOT NULL,
  token_sealed text NOT NULL,
  -- `away`: the platform does not respond, or refuses the token.
  status text NOT NULL DEFAULT 'connected' CHECK (status IN ('connected', 'away')),
  -- The platform's own words; null while connected.
  error text,
  status_at timestamptz NOT NULL DEFAULT now(),
  connected_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, channel)
);

-- Updates of the messengers: stored and deduplicated before they are acknowledged, handled once, in order per chat.
CREATE TABLE bot_updates (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel text NOT NULL,
  dedupe_key text NOT NULL,
  -- `user:<id>` for a private chat (MAX may leave the chat out), else the chat's id: updates of one queue are handled
  -- one at a time, in the order of their ids.
  chat_queue text NOT NULL,
  -- The platform's own words (json, not jsonb, keeps any of them); erased once handled, for they hold names and tokens.
  payload json,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  handled_at timestamptz,
  failures int NOT NULL DEFAULT 0,
  last_error text,
  -- When the oldest waiting update of its queue may be claimed: at once, after the lease of a claim, or for its retry. Null for
  -- later updates of the queue, so that a claim reads no more than it leases.
  due_at timestamptz,
  -- Set aside after failing again and again; shown by `herald doctor`.
  set_aside_at timestamptz,
  -- The bot that received the update. `dedupe_key` and `chat_queue` of an own bot begin with its key, because the numbers of two
  -- bots' updates, and their users, can be the same.
  bot text,
  UNIQUE (channel, dedupe_key)
);
CREATE INDEX bot_updates_waiting ON bot_updates (channel, chat_queue, id) WHERE (handled_at IS NULL) AND (set_aside_at IS NULL);
-- One update of a queue at a time.
CREATE UNIQUE INDEX bot_updates_first ON bot_updates (channel, chat_queue)
  WHERE (due_at IS NOT NULL) AND (handled_at IS NULL) AND (set_aside_at IS NULL);
CREATE INDEX bot_updates_due ON bot_updates (coalesce(bot, channel), due_at)
  WHERE (due_at IS NOT NULL) AND (handled_at IS NULL) AND (set_aside_at IS NULL);
CREATE INDEX bot_updates_received ON bot_updates (received_at);
-- Updates that were set aside are few among very many; metrics and `herald doctor` count them.
CREATE INDEX bot_updates_set_aside ON bot_updates (set_aside_at) WHERE set_aside_at IS NOT NULL;

-- A trigger, because an operator also changes these rows by hand. The lock is that of the inserts into the queue: without it an
-- update stored at this moment would wait for one that has just been handled.
-- The next update is found by a comparison of rows, in the order of the index of waiting updates: by equality a plan could walk
-- the primary key. The settings keep plans usable that are stored while the table is empty.
CREATE FUNCTION advance_chat_queue() RETURNS trigger LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
DECLARE
  queue bot_updates := CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END;
  next_update record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('chat_queue/' || queue.channel || '/' || queue.chat_queue, 0));
  SELECT id, channel, chat_queue, due_at INTO next_update FROM bot_updates
  WHERE handled_at IS NULL AND set_aside_at IS NULL
    AND (channel, chat_queue, id) > (queue.channel, queue.chat_queue, 0)
  ORDER BY channel, chat_queue, id LIMIT 1;
  IF next_update.channel = queue.channel AND next_update.chat_queue = queue.chat_queue AND next_update.due_at IS NULL THEN
    UPDATE bot_updates SET due_at = clock_timestamp()
    WHERE id = next_update.id
      AND NOT EXISTS (SELECT 1 FROM bot_updates WHERE channel = queue.channel AND chat_queue = queue.chat_queue
                        AND due_at IS NOT NULL AND handled_at IS NULL AND set_aside_at IS NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER begin_chat_queue AFTER INSERT ON bot_updates FOR EACH ROW
  WHEN (NEW.handled_at IS NULL AND NEW.set_aside_at IS NULL) EXECUTE FUNCTION advance_chat_queue();
CREATE TRIGGER advance_chat_queue AFTER UPDATE OF handled_at, set_aside_at ON bot_updates FOR EACH ROW
  WHEN (num_nulls(OLD.handled_at, OLD.set_aside_at) <> num_nulls(NEW.handled_at, NEW.set_aside_at))
  EXECUTE FUNCTION advance_chat_queue();
CREATE TRIGGER leave_chat_queue AFTER DELETE ON bot_updates FOR EACH ROW
  WHEN (OLD.handled_at IS NULL AND OLD.set_aside_at IS NULL) EXECUTE FUNCTION advance_chat_queue();

-- Where long polling goes on; moved in the transaction that stores the updates before it.
CREATE TABLE bot_offsets (
  bot text PRIMARY KEY,
  position text NOT NULL,
  moved_at timestamptz NOT NULL
);

-- The last attempt of the bots role to register a bot's webhook, for `herald doctor`. One row for each bot.
CREATE TABLE bot_webhooks (
  bot text PRIMARY KEY,
  url text NOT NULL,
  -- Null if the platform accepted it.
  error text,
  attempted_at timestamptz NOT NULL
);

-- The pace of each bot, shared by all processes: when the next call may be made, also after a pause that the platform requested.
CREATE TABLE bot_pace (
  bot text PRIMARY KEY,
  next_at timestamptz NOT NULL DEFAULT '-infinity'
);

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

-- Projects that wait for a bot. `waiting_until` is in the past once a project has all turns that it asked for; it also ends the
-- wait of a process that died.
CREATE UNLOGGED TABLE bot_turns (
  bot text NOT NULL,
  -- Single messages and one-time codes, which go before broadcasts.
  urgent boolean NOT NULL,
  project_id uuid NOT NULL,
  -- Calls made since the project began to wait, counted from the lowest of the others at that time.
  served double precision NOT NULL,
  waiting_until timestamptz NOT NULL,
  PRIMARY KEY (bot, urgent, project_id)
);
CREATE INDEX bot_turns_end ON bot_turns (waiting_until);

-- Media that was uploaded to a messenger, by bot and content, so that it is uploaded once and not for each recipient.
CREATE TABLE media_uploads (
  channel text NOT NULL,
  bot_id text NOT NULL,
  -- A hash of project, URL and the version that its server stated, or an id of the request if it stated none.
  content_key text NOT NULL,
  -- Telegram's file_id, MAX's token.
  reference text NOT NULL,
  type text NOT NULL CHECK (type IN ('photo', 'video', 'document')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel, bot_id, content_key)
);
CREATE INDEX media_uploads_age ON media_uploads (created_at);

-- ===========
-- subscribers
-- ===========
-- Subscribers, tags and permissions, subscribe links, imports.

CREATE TABLE subscribers (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  channel text NOT NULL,
  -- The user's id in the messenger, and the chat in which every bot of the messenger reaches them: text, because the
  -- platforms own their form.
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
  -- The bot through which a subscriber came last. If it is no longer connected, the project's present bot is used.
  bot text,
  -- The update of the /stop that ended the subscription: one that is handled again after an outage gets the same reply.
  ended_by_update bigint,
  -- An IANA name; null: the project's.
  timezone text,
  -- Flat: texts, numbers and booleans.
  properties jsonb NOT NULL DEFAULT '{}',
  UNIQUE (project_id, channel, platform_user_id)
);
CREATE INDEX subscribers_page ON subscribers (project_id, created_at DESC, id DESC);
-- In the order of its readers: else statistics of ids that many share choose the page index, which reads the whole project.
CREATE INDEX subscribers_external ON subscribers (project_id, external_id, created_at, id) WHERE external_id IS NOT NULL;
CREATE INDEX subscribers_platform ON subscribers (channel, platform_user_id);
CREATE INDEX subscribers_tags ON subscribers USING gin (tags);
CREATE INDEX subscribers_permissions ON subscribers USING gin (permissions);
-- Search by how a name, username or external id begins. A name comes from a messenger and may have any length, so that only its
-- beginning is indexed.
CREATE INDEX subscribers_by_name ON subscribers (project_id, lower(left(first_name, 64)) text_pattern_ops);
CREATE INDEX subscribers_by_username ON subscribers (project_id, lower(left(username, 64)) text_pattern_ops)
  WHERE username IS NOT NULL;
CREATE INDEX subscribers_by_external_id ON subscribers (project_id, lower(external_id) text_pattern_ops)
  WHERE external_id IS NOT NULL;

-- The distinct tags and permissions of a project: counting them over its subscribers would take longer with every
-- subscriber. A name that no subscriber has is deleted when room is needed.
CREATE TABLE project_labels (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('tags', 'permissions')),
  name text NOT NULL,
  -- Tags and permissions that a project defines, beside those that came with a subscriber. `defined`: the project created
  -- it or a link names it, so it stays when no subscriber has it. Permissions have titles for the Mini App.
  created_at timestamptz NOT NULL DEFAULT now(),
  defined boolean NOT NULL DEFAULT false,
  title_en text,
  title_ru text,
  granted_by_default boolean NOT NULL DEFAULT false,
  PRIMARY KEY (project_id, kind, name)
);

-- Labels that were renamed or, without `new_name`, deleted, while subscribers still have the old name.
CREATE TABLE label_changes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('tags', 'permissions')),
  name text NOT NULL,
  new_name text,
  UNIQUE (project_id, kind, name)
);

-- Links that subscribe and give tags, permissions and an external_id.
CREATE TABLE subscribe_links (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- Found by its hash; its value is kept sealed, because lists show the link.
  token_hash bytea NOT NULL UNIQUE,
  token_sealed text NOT NULL,
  name text,
  tags text[] NOT NULL,
  permissions text[] NOT NULL,
  external_id text,
  expires_at timestamptz,
  max_uses int CHECK (max_uses > 0),
  uses int NOT NULL DEFAULT 0,
  last_used_at timestamptz,
  -- The bot's update that used it last: one that is handled again after a crash is not a second use.
  last_update_id bigint,
  created_at timestamptz NOT NULL
);
CREATE INDEX subscribe_links_page ON subscribe_links (project_id, created_at DESC, id DESC);
CREATE INDEX subscribe_links_by_age ON subscribe_links (created_at, id);
-- The live links of a project are counted by it.
CREATE INDEX subscribe_links_usable ON subscribe_links (project_id, expires_at)
  WHERE (max_uses IS NULL) OR (uses < max_uses);

CREATE TABLE imports (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  dry_run boolean NOT NULL,
  columns text[] NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed', 'cancelled')),
  rows int NOT NULL DEFAULT 0,
  updated int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  -- The first failed rows: [{row, code}].
  errors jsonb NOT NULL DEFAULT '[]',
  -- The number of the next row, from 1: those before it are done and deleted.
  next_row int NOT NULL DEFAULT 1,
  -- The whole file is stored: the workflow may begin.
  is_stored boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz
);
CREATE INDEX imports_open ON imports (project_id) WHERE ended_at IS NULL;
CREATE INDEX imports_age ON imports (created_at, id);

-- The rows of an import that are still to do, each with its place in the file and its cells in the order of the import's columns.
CREATE TABLE import_chunks (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  first_row int NOT NULL,
  rows jsonb NOT NULL,
  PRIMARY KEY (import_id, first_row)
);

-- ======
-- events
-- ======
-- The outbox, published ids and tracked events.

-- The outbox. The body's bytes are fixed here, in the transaction that causes the event. No foreign keys here, on what a
-- delivery writes, or on what is deleted with them: their checks cost every delivery. `removeEvents` deletes an event
-- with its deliveries, and retention ends what a removed project or endpoint leaves.
CREATE SEQUENCE event_seq;
-- From here on every number of an event is greater than the last value that was read before it.
SELECT setval('event_seq', 1);
-- The tables of events and deliveries hold months of traffic, of which retention removes a day at a time. A vacuum at a fiftieth of
-- them keeps up with it; the default of a fifth leaves millions of dead rows in each.
CREATE TABLE events (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL,
  name text NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The W3C trace context of what caused the event, only while tracing is on: the attempts join its trace.
  traceparent text,
  -- Whom it is about; erased with them.
  subscriber_id uuid,
  -- The order of the stream of events. A transaction locks the project (shared, with the last value of the sequence) before
  -- it writes: the stream stops before what open transactions of its project may still commit.
  seq bigint NOT NULL DEFAULT nextval('event_seq'),
  -- The transaction that wrote the event, and its deliveries with it.
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  -- The example of an event, sent on request.
  test boolean NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_threshold=50000, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX events_project ON events (project_id, created_at DESC);
-- Retention walks it by age, in batches of (time, id).
CREATE INDEX events_by_age ON events (created_at, id);
CREATE INDEX events_subscriber ON events (subscriber_id) WHERE subscriber_id IS NOT NULL;
CREATE INDEX events_stream ON events (project_id, seq);

-- Events of removed people that were not erased at once, because a delivery of theirs was open. `check_at` is moved on
-- while it still is.
CREATE TABLE event_erasures (
  event_id uuid PRIMARY KEY,
  -- The id of the agenda's entry, one for each transaction that marks events. Random, so that nothing names the person.
  erasure_id uuid NOT NULL,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  check_at timestamptz NOT NULL
);
CREATE INDEX event_erasures_due ON event_erasures (erasure_id, check_at);

-- Ids that publishers gave their events, kept for 30 days: the same id again is a duplicate.
CREATE TABLE published_ids (
  project_id uuid NOT NULL,
  -- Sorted by bytes, so that requests with overlapping ids insert them in one order.
  id text COLLATE "C" NOT NULL,
  event_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id)
);
CREATE INDEX published_ids_age ON published_ids (created_at);

-- ===========
-- subscribers
-- ===========
-- Events that projects report about their subscribers.

-- What the users of a project did, as it reported: one row for each subscriber of an event. The id is that of the row in
-- `events` that its deliveries belong to. Events of one request have the same `received_at`.
CREATE TABLE tracked_events (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  -- The project's own id, or the one that Herald chose.
  event_id text NOT NULL,
  name text NOT NULL,
  properties jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tracked_events_page ON tracked_events (project_id, received_at DESC, id DESC);
CREATE INDEX tracked_events_name ON tracked_events (project_id, name, received_at DESC, id DESC);
CREATE INDEX tracked_events_subscriber ON tracked_events (subscriber_id, received_at DESC, id DESC);
-- For rules: whether an event of this name has happened since.
CREATE INDEX tracked_events_rule ON tracked_events (subscriber_id, name, received_at DESC);
CREATE INDEX tracked_events_age ON tracked_events (received_at);

-- ========
-- projects
-- ========
-- Members, invitations and notices, which are about events.

CREATE TABLE members (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'support', 'viewer')),
  notify text NOT NULL DEFAULT 'assigned' CHECK (notify IN ('none', 'assigned', 'all')),
  last_seen_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, account_id)
);
CREATE INDEX members_account ON members (account_id);

CREATE TABLE invitations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'support', 'viewer')),
  name text,
  -- The token of the link: found by its hash, its value kept sealed so that the team can copy the link again.
  token_hash bytea NOT NULL UNIQUE,
  token_sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  account_id uuid REFERENCES accounts ON DELETE SET NULL,
  -- Who made an invitation: it is valid only while its maker could still make it. The audit log knows the makers of those that
  -- are open now; one without an entry is not valid any more.
  created_by_type text CHECK (created_by_type IN ('member', 'key', 'cli')),
  created_by uuid
);
CREATE INDEX invitations_project ON invitations (project_id, created_at DESC, id DESC);
CREATE INDEX invitations_age ON invitations (expires_at);

-- Messages of the bot to members about an event of their project, queued in the event's transaction. Kind `member_notices` of the
-- agenda, whose entries have the ids of the members, sends the notices of a member one after another.
CREATE TABLE member_notices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  member_id uuid NOT NULL REFERENCES members ON DELETE CASCADE,
  -- The event, or the route of a form that has caused a message of the project.
  event_id uuid NOT NULL,
  -- Of a message that a project has written, instead of a text about an event.
  message jsonb,
  -- A ticket: of several notices about it that wait at the same time only the first is kept. Or a form: see `answers`.
  topic uuid,
  -- Of a form: the submission and the form's name.
  submission_id uuid,
  form_name text,
  -- Instead of the messages of several submissions of one form: how many submissions they are.
  answers int CHECK (answers > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Later than now after a failure.
  send_at timestamptz NOT NULL DEFAULT now(),
  failures int NOT NULL DEFAULT 0,
  UNIQUE (event_id, member_id)
);
CREATE INDEX member_notices_member ON member_notices (member_id, id);
CREATE INDEX member_notices_age ON member_notices (created_at);

-- =========
-- templates
-- =========
-- Templates.

-- Templates: one text in up to two languages, with placeholders.
CREATE TABLE templates (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  key text NOT NULL,
  name text,
  purpose text NOT NULL CHECK (purpose IN ('message', 'reply')),
  format text NOT NULL CHECK (format IN ('plain', 'markdown', 'html')),
  default_lang text NOT NULL CHECK (default_lang IN ('en', 'ru')),
  -- By language: text, buttons, media.
  variants jsonb NOT NULL,
  version int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, key)
);
CREATE INDEX templates_page ON templates (project_id, created_at DESC, id DESC);

-- Texts of the bot in a project's own words: {welcome?, help?, after_login?}, each {en?, ru?}.
CREATE TABLE project_texts (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  texts jsonb NOT NULL
);

-- =====
-- login
-- =====
-- Sessions, questions, answers and codes.

CREATE TABLE auth_sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  flow text NOT NULL CHECK (flow IN ('session', 'static', 'oidc', 'push')),
  -- Sessions of the API are numbered in their project: the hourly window looks at one row instead of counting many.
  number bigint,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'confirmed', 'declined', 'expired', 'consumed')),
  decline_reason text CHECK (decline_reason IN ('user', 'billing_blocked')),
  -- Three independent random values: the id is seen by operators, the start token by onlookers of the QR.
  start_hash bytea UNIQUE,
  start_sealed text,
  hosted_hash bytea UNIQUE,
  hosted_browser_hash bytea,
  state text,
  redirect_uri text,
  -- As the project gave it, and in the form by which sessions of an address are counted.
  client_ip text,
  client_address text,
  -- The network (IPv6: /48) from which it was begun without a key: each network has a share of the open sessions. Erased with the
  -- person.
  site text,
  user_agent text,
  code_challenge text,
  match_code text,
  -- What the device shows that waits for this session.
  user_code text,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  decided_at timestamptz,
  workflow_started_at timestamptz,
  start_leased_until timestamptz,
  -- Who opened the link: only that user may answer.
  channel text,
  platform_user_id text,
  lang text,
  subscriber_id uuid REFERENCES subscribers ON DELETE SET NULL,
  -- The one-time code: found by its hash, its value kept sealed for repeated polls and erased on use.
  code_hash bytea,
  code_sealed text,
  code_expires_at timestamptz,
  consumed_at timestamptz,
  -- As with events: the trace context of the request that made the session, only while tracing is on.
  traceparent text,
  purpose text CHECK (purpose IN ('approval', 'login')),
  message text,
  -- The bot in which the link was opened and the question was asked.
  bot text,
  -- The messenger in which the bot first asked; null until then.
  asked_in text
);
CREATE INDEX auth_sessions_page ON auth_sessions (project_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX auth_sessions_number ON auth_sessions (project_id, number);
CREATE INDEX auth_sessions_address ON auth_sessions (project_id, client_address, created_at) WHERE client_address IS NOT NULL;
CREATE INDEX auth_sessions_unstarted ON auth_sessions (created_at) WHERE workflow_started_at IS NULL;
CREATE INDEX auth_sessions_open ON auth_sessions (expires_at) WHERE status IN ('pending', 'confirmed');
-- A static link: one live session for each user and project.
CREATE UNIQUE INDEX auth_sessions_static_live ON auth_sessions (project_id, channel, platform_user_id)
  WHERE (flow = 'static') AND (status = 'pending');
CREATE UNIQUE INDEX auth_sessions_code ON auth_sessions (code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX auth_sessions_by_age ON auth_sessions (created_at, id);
-- Removing a subscriber finds everything of theirs by these.
CREATE INDEX auth_sessions_user ON auth_sessions (project_id, channel, platform_user_id) WHERE platform_user_id IS NOT NULL;
CREATE INDEX auth_sessions_subscriber ON auth_sessions (subscriber_id) WHERE subscriber_id IS NOT NULL;
-- For the number of open sessions of a project that were begun without a key.
CREATE INDEX auth_sessions_site ON auth_sessions (project_id, site) WHERE (site IS NOT NULL) AND (status = 'pending');

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
  update_id bigint,
  created_at timestamptz NOT NULL DEFAULT now(),
  closed_at timestamptz,
  bot text
);
CREATE INDEX auth_prompts_session ON auth_prompts (session_id, id);
CREATE INDEX auth_prompts_update ON auth_prompts (update_id);

-- Openings of static links, to hold five a minute for each user.
CREATE TABLE auth_openings (
  channel text NOT NULL,
  platform_user_id text NOT NULL,
  opened_at timestamptz NOT NULL DEFAULT now(),
  -- The update that opened the link: one that is handled again while the platform is unavailable counts once.
  update_id bigint PRIMARY KEY
);
CREATE INDEX auth_openings_user ON auth_openings (channel, platform_user_id, opened_at);
CREATE INDEX auth_openings_by_age ON auth_openings (opened_at);

-- Taps on Yes and No that passed every check; the workflow's transaction takes the first one in time.
CREATE TABLE auth_answers (
  update_id bigint PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES auth_sessions ON DELETE CASCADE,
  answer text NOT NULL CHECK (answer IN ('yes', 'no')),
  first_name text NOT NULL,
  username text,
  received_at timestamptz NOT NULL,
  -- The question that was answered, which tells who of several users has.
  prompt_id bigint NOT NULL
);
CREATE INDEX auth_answers_session ON auth_answers (session_id, received_at, update_id);

-- The subscribers who are asked; the first answer counts. Removing a subscriber removes their rows. The session refers to
-- a subscriber only after the answer: a reference of a pending session would make the removal wait for its decision.
CREATE TABLE auth_request_recipients (
  session_id uuid NOT NULL REFERENCES auth_sessions ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  -- Why the messenger does not take the question; null while it may.
  refused text,
  PRIMARY KEY (session_id, subscriber_id)
);
-- The limits of a subscriber count the last hour.
CREATE INDEX auth_request_recipients_subscriber ON auth_request_recipients (subscriber_id, created_at);

-- What happened to logins on a day (UTC). `seconds` is how long a confirmed one took, exact up to a minute and in tens after
-- it, so that the counters give the median; 0 for the other steps.
CREATE TABLE auth_days (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  day date NOT NULL,
  step text NOT NULL CHECK (step IN ('created', 'opened', 'confirmed', 'declined', 'expired', 'redeemed')),
  -- Empty until the link was opened.
  channel text NOT NULL,
  seconds int NOT NULL,
  count int NOT NULL,
  PRIMARY KEY (project_id, day, step, channel, seconds)
);
CREATE INDEX auth_days_age ON auth_days (day);

-- A trigger, because a dozen statements change a session, and each counts in its own transaction. Counters are locked in the
-- order of their key, so that statements that change sessions of several projects cannot deadlock.
CREATE FUNCTION count_new_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO auth_days AS d (project_id, day, step, channel, seconds, count)
  SELECT project_id, (now() AT TIME ZONE 'UTC')::date, 'created', coalesce(channel, ''), 0, count(*)
  FROM created WHERE purpose IS DISTINCT FROM 'approval' GROUP BY 1, 4 ORDER BY 1, 4
  ON CONFLICT (project_id, day, step, channel, seconds) DO UPDATE SET count = d.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER count_new_sessions AFTER INSERT ON auth_sessions
  REFERENCING NEW TABLE AS created FOR EACH STATEMENT EXECUTE FUNCTION count_new_sessions();

CREATE FUNCTION count_session_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO auth_days AS d (project_id, day, step, channel, seconds, count)
  SELECT a.project_id, (now() AT TIME ZONE 'UTC')::date, steps.step, coalesce(a.channel, a.asked_in, ''), steps.seconds, count(*)
  FROM after_change a JOIN before_change b ON b.id = a.id
    CROSS JOIN LATERAL (SELECT extract(epoch FROM a.decided_at - a.created_at)::int AS took) t
    CROSS JOIN LATERAL (VALUES
      ('opened', b.asked_in IS NULL AND a.asked_in IS NOT NULL, 0),
      ('confirmed', b.status = 'pending' AND a.status = 'confirmed', CASE WHEN t.took < 60 THEN t.took ELSE t.took / 10 * 10 END),
      ('declined', b.status = 'pending' AND a.status = 'declined', 0),
      ('expired', b.status = 'pending' AND a.status = 'expired', 0),
      ('redeemed', b.status = 'confirmed' AND a.status = 'consumed', 0)
    ) AS steps (step, is_done, seconds)
  WHERE steps.is_done AND a.purpose IS DISTINCT FROM 'approval'
  GROUP BY 1, 3, 4, 5 ORDER BY 1, 3, 4, 5
  ON CONFLICT (project_id, day, step, channel, seconds) DO UPDATE SET count = d.count + excluded.count;
  RETURN NULL;
END $$;
CREATE TRIGGER count_session_steps AFTER UPDATE ON auth_sessions
  REFERENCING OLD TABLE AS before_change NEW TABLE AS after_change
  FOR EACH STATEMENT EXECUTE FUNCTION count_session_steps();

-- When a session was last polled, to hold the pace of one a second across processes. Unlogged: it is worth a second.
CREATE UNLOGGED TABLE auth_polls (
  session_id uuid PRIMARY KEY,
  polled_at timestamptz NOT NULL
);

-- ========
-- webhooks
-- ========
-- Endpoints, deliveries, attempts, the queue and the search index.

CREATE TABLE endpoints (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  url text NOT NULL,
  -- Empty: all events.
  events text[] NOT NULL DEFAULT '{}',
  description text,
  retry_policy text NOT NULL CHECK (retry_policy IN ('durable', 'quick')),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  disabled_at timestamptz,
  -- Why the service itself disabled it; null if a request did.
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing')),
  -- Raised by every change, so that an attempt made before a change cannot disable what came after it.
  version int NOT NULL DEFAULT 1,
  -- Since when there has been nothing but failures.
  failing_since timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The log of a deleted endpoint stays readable until its retention is over.
  deleted_at timestamptz,
  -- Which events of those that it subscribes to; null: all.
  filter jsonb,
  -- Null: the lane of the installation (HERALD_DELIVERY_LANE).
  delivery_lane text CHECK (delivery_lane IN ('workflow', 'express', 'auto')),
  -- How many attempts may be in flight; halved after a timeout, doubled after a fast success, 20 at most.
  concurrency int NOT NULL DEFAULT 20,
  -- Headers that the project wants on every attempt, for example an Authorization of its own: one sealed JSON object, because
  -- the values are secrets. Null: none.
  headers_sealed text,
  -- The last alert event about the endpoint: failing, or disabled by Herald.
  alert text CHECK (alert IN ('failing', 'disabled')),
  -- Changes that happened with a result and whose events are yet to be emitted, oldest first.
  unannounced jsonb NOT NULL DEFAULT '[]'
);
-- Whether the `data` of an event matches a filter of an endpoint. Compares as `compares` in contract/rules.ts: a value of another
-- type compares false, texts compare by code point.
CREATE FUNCTION filter_matches(filter jsonb, data jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE filter->>'match' WHEN 'any' THEN bool_or(holds) ELSE bool_and(holds) END
  FROM (
    SELECT coalesce(CASE
      WHEN op = 'exists' THEN coalesce(found <> 'null', false) = (wanted IS DISTINCT FROM 'false')
      WHEN jsonb_typeof(found) = 'array' THEN op = 'contains' AND found @> jsonb_build_array(wanted)
      WHEN jsonb_typeof(found) <> jsonb_typeof(wanted) THEN false
      WHEN op = 'eq' THEN found = wanted
      WHEN op = 'ne' THEN found <> wanted
      WHEN jsonb_typeof(found) = 'number' THEN CASE op WHEN 'gt' THEN found > wanted WHEN 'lt' THEN found < wanted END
      WHEN jsonb_typeof(found) = 'string' THEN CASE op
        WHEN 'gt' THEN (found #>> '{}') COLLATE "C" > (wanted #>> '{}') COLLATE "C"
        WHEN 'lt' THEN (found #>> '{}') COLLATE "C" < (wanted #>> '{}') COLLATE "C"
        WHEN 'contains' THEN strpos(found #>> '{}', wanted #>> '{}') > 0 END
      END, false) AS holds
    FROM jsonb_array_elements(filter->'rules') AS rule
    CROSS JOIN LATERAL (
      SELECT rule->>'op' AS op, data #> string_to_array(rule->>'field', '.') AS found, rule->'value' AS wanted) AS compared
  ) AS judged
$$;
-- Also of deleted endpoints: a delivery is written for one that is named, whatever its state.
CREATE INDEX endpoints_project ON endpoints (project_id, created_at DESC);
CREATE INDEX endpoints_deleted ON endpoints (id) WHERE deleted_at IS NOT NULL;
-- The few endpoints with an alert event to emit.
CREATE INDEX endpoints_unannounced ON endpoints (id) WHERE unannounced <> '[]'::jsonb;
CREATE INDEX endpoints_failing ON endpoints (failing_since) WHERE failing_since IS NOT NULL;

-- Every live secret signs, newest first. A null expires_at marks the newest; the others live 24 h after their rotation.
CREATE TABLE endpoint_secrets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id uuid NOT NULL REFERENCES endpoints ON DELETE CASCADE,
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  -- The request that created the secret, so that a request resumed after a crash does not rotate again.
  request_id uuid
);
CREATE INDEX endpoint_secrets_endpoint ON endpoint_secrets (endpoint_id, id DESC);
CREATE INDEX endpoint_secrets_end ON endpoint_secrets (expires_at) WHERE expires_at IS NOT NULL;

-- Results of one endpoint in one hour (UTC) of their attempts. Written in the transaction of the result, so that the counts
-- agree with the log after any crash; kept for eight days.
CREATE TABLE endpoint_hours (
  endpoint_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  succeeded int NOT NULL,
  failed int NOT NULL,
  -- Attempts by duration; the bounds are in webhooks/queries/hours.ts.
  latency integer[] NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (endpoint_id, hour)
) WITH (fillfactor=50);
CREATE INDEX endpoint_hours_age ON endpoint_hours (hour);

-- Nothing that a success changes is indexed, so that its update is HOT: it writes no index, if its page has room. Deliveries
-- without a success are found through `undelivered` and `delivery_queue`.
CREATE TABLE deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_name text NOT NULL,
  -- Decided by the claim.
  lane text CHECK (lane IN ('workflow', 'express')),
  -- Events of broadcasts: started after everything else.
  bulk boolean NOT NULL DEFAULT false,
  policy text NOT NULL CHECK (policy IN ('durable', 'quick')),
  -- `paused` is not stored: it is a pending delivery of a disabled endpoint.
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed', 'cancelled')),
  failure text CHECK (failure IN ('exhausted', 'refused')),
  -- Attempts claimed so far; the newest of them may still be under way.
  attempts int NOT NULL DEFAULT 0,
  -- What the newest attempt is, until it has its result. Kept here, not read from `attempts`: a claim that waits for
  -- this row's lock then sees this row as it is now, and other rows as they were before the wait.
  underway text CHECK (underway IN ('scheduled', 'requested')),
  -- Scheduled attempts used up. A requested attempt uses none.
  scheduled_attempts int NOT NULL DEFAULT 0,
  -- Attempts asked for, and how many of those have been claimed.
  round int NOT NULL DEFAULT 0,
  served int NOT NULL DEFAULT 0,
  first_attempt_at timestamptz,
  next_attempt_at timestamptz DEFAULT now(),
  last_http_status int,
  last_error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  -- It has, or had, a workflow.
  started boolean NOT NULL DEFAULT false,
  -- From then on the sweep queues the delivery, so that the relay signals its workflow or starts another one.
  overdue_at timestamptz NOT NULL DEFAULT 'infinity',
  -- The example of an event, sent on request: marked in its headers, so that no receiver takes it for a real event.
  test boolean NOT NULL DEFAULT false,
  -- Why Herald cancelled it; null if a request did.
  cancel_reason text CHECK (cancel_reason IN ('endpoint_removed', 'parked_too_long'))
) WITH (fillfactor=80, autovacuum_vacuum_threshold=50000, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX deliveries_log ON deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX deliveries_event ON deliveries (event_id);

-- Deliveries that failed, were cancelled, or are pending after more than the wait for a first attempt, which is the queue's.
-- A trigger keeps it, so that no statement can forget it.
CREATE TABLE undelivered (
  delivery_id uuid PRIMARY KEY,
  endpoint_id uuid NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  overdue_at timestamptz NOT NULL
);
CREATE INDEX undelivered_log ON undelivered (endpoint_id, status, created_at DESC, delivery_id DESC);
CREATE INDEX undelivered_failed ON undelivered (endpoint_id, ended_at) WHERE status = 'failed';
CREATE INDEX undelivered_overdue ON undelivered (overdue_at) WHERE status = 'pending';

CREATE FUNCTION note_undelivered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'succeeded' THEN
    DELETE FROM undelivered WHERE delivery_id = NEW.id;
  ELSE
    INSERT INTO undelivered (delivery_id, endpoint_id, status, created_at, ended_at, overdue_at)
    VALUES (NEW.id, NEW.endpoint_id, NEW.status, NEW.created_at, NEW.ended_at, NEW.overdue_at)
    ON CONFLICT (delivery_id) DO UPDATE SET status = excluded.status, created_at = excluded.created_at,
      ended_at = excluded.ended_at, overdue_at = excluded.overdue_at;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_begun AFTER INSERT ON deliveries FOR EACH ROW WHEN (NEW.started OR NEW.status <> 'pending')
  EXECUTE FUNCTION note_undelivered();
-- Not for a success of the first attempt in the express lane.
CREATE TRIGGER deliveries_undelivered AFTER UPDATE ON deliveries FOR EACH ROW
  WHEN (OLD.status <> 'pending' OR OLD.attempts > 0 OR OLD.round > 0 OR NEW.started OR NEW.round > 0
    OR NEW.status IN ('failed', 'cancelled') OR (NEW.status = 'pending' AND NEW.attempts > 0))
  EXECUTE FUNCTION note_undelivered();

-- Deliveries that wait for a start, a signal or a slot, and those whose attempt is in flight. A table of its own: claims
-- leave dead index entries behind, and in `deliveries` they would stay until a vacuum of the whole table. A row exists
-- only while there is something to do; a delivery that waits for its next scheduled attempt has none.
CREATE TABLE delivery_queue (
  delivery_id uuid PRIMARY KEY,
  endpoint_id uuid NOT NULL,
  project_id uuid NOT NULL,
  -- 0: requested, 1: ordinary, 2: one event of a broadcast.
  priority smallint NOT NULL DEFAULT 1,
  -- Since when it is due. Leases do not move it.
  due_at timestamptz NOT NULL DEFAULT now(),
  -- The first attempt of a delivery without a workflow: only these can take the express lane.
  is_first boolean NOT NULL,
  -- An attempt follows, which counts towards the endpoint's concurrency. False: the workflow is only started or signalled.
  needs_slot boolean NOT NULL DEFAULT true,
  -- Null while it waits. The relay holds it while it starts the workflow, a lane while its attempt is in flight.
  holder text CHECK (holder IN ('relay', 'workflow', 'express')),
  claimed_at timestamptz,
  lease_until timestamptz
) WITH (fillfactor=70, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_cost_delay=0);
CREATE INDEX delivery_queue_waiting ON delivery_queue (is_first, endpoint_id, priority, due_at)
  WHERE (holder IS NULL) AND needs_slot;
CREATE INDEX delivery_queue_held ON delivery_queue (endpoint_id, lease_until) WHERE holder IS NOT NULL;
CREATE INDEX delivery_queue_slotless ON delivery_queue (due_at) WHERE (holder IS NULL) AND (NOT needs_slot);

-- UNIQUE (delivery, number) and a result that is written once: what has a result is never sent again.
CREATE TABLE attempts (
  delivery_id uuid NOT NULL,
  number int NOT NULL,
  requested boolean NOT NULL,
  claimed_at timestamptz NOT NULL DEFAULT now(),
  finished_at timestamptz,
  duration_ms int,
  http_status int,
  error text,
  error_detail text,
  response_body text,
  response_headers jsonb,
  next_attempt_at timestamptz,
  -- The request as it was sent, with the values of the project's own headers masked. Null without a result, and where the
  -- process of the attempt has died.
  request_headers jsonb,
  -- When the process of the attempt was found dead. A 2xx that arrives later replaces the result, and its count.
  lost_at timestamptz,
  PRIMARY KEY (delivery_id, number)
) WITH (autovacuum_vacuum_threshold=50000, autovacuum_vacuum_scale_factor=0.02);

-- Which requests have retried a delivery: one that is resumed after a crash does not retry it again.
CREATE TABLE delivery_retries (
  delivery_id uuid NOT NULL,
  request_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (delivery_id, request_id)
);

-- The words of recent events, for the search in their bodies. A worker writes them a moment after the event: in the
-- event's own insert they cost several times as much as everything else.
CREATE TABLE event_words (
  event_id uuid PRIMARY KEY,
  project_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  words tsvector NOT NULL
) WITH (autovacuum_vacuum_threshold=50000, autovacuum_vacuum_scale_factor=0.02);
-- The project is a key of its own, so that the words of other projects cost nothing.
CREATE INDEX event_words_search ON event_words USING gin ((ARRAY[project_id]), words);
CREATE INDEX event_words_newest ON event_words (project_id, created_at);
CREATE INDEX event_words_by_age ON event_words (created_at, event_id);

-- The last event, by (created_at, id), whose words are written. One row.
CREATE TABLE event_words_progress (
  one_row boolean DEFAULT true PRIMARY KEY CHECK (one_row),
  created_at timestamptz NOT NULL,
  event_id uuid NOT NULL
);
INSERT INTO event_words_progress (created_at, event_id) VALUES (now(), '00000000-0000-0000-0000-000000000000');

-- ========
-- messages
-- ========
-- Messages, one-time codes and taps on buttons.

-- Messages to one subscriber: /v1/send and one-time codes. The id is the delivery_id.
CREATE TABLE messages (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- One for each accepted request; a request that is taken up again after a crash finds its messages by it.
  request_id uuid NOT NULL,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  channel text NOT NULL,
  source text NOT NULL CHECK (source IN ('send', 'otp', 'scheduled', 'drip', 'bot', 'ticket', 'form')),
  -- The scheduled message, chain, ticket or form that it comes from.
  source_id uuid,
  -- Null for one-time codes: those are kept nowhere.
  content jsonb,
  -- `sending` is committed before the call: after a crash the outcome is unknown.
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'skipped')),
  reason text,
  error text,
  platform_message_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  attempted_at timestamptz,
  ended_at timestamptz,
  -- The message with the media, where the text follows as a second one: what was sent is not sent again.
  media_message_id text,
  UNIQUE (request_id, subscriber_id)
);
CREATE INDEX messages_open ON messages (created_at) WHERE status IN ('queued', 'sending');
CREATE INDEX messages_subscriber ON messages (subscriber_id, created_at DESC);
CREATE INDEX messages_by_age ON messages (created_at, id);
-- The log of a project, newest first, with or without a filter: each source and status is a range of its own.
CREATE INDEX messages_project ON messages (project_id, source, status, created_at, id);
CREATE INDEX messages_source ON messages (source_id, status, created_at, id) WHERE source_id IS NOT NULL;

CREATE TABLE otp_codes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  purpose text NOT NULL,
  -- HMAC with a key that the database does not know: a short code would be guessed from a plain hash.
  code_hash bytea NOT NULL,
  -- `sending`: on its way, counted in the hour, not valid yet.
  status text NOT NULL DEFAULT 'sending' CHECK (status IN ('sending', 'active', 'replaced', 'verified', 'exhausted')),
  attempts int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz,
  CHECK (attempts <= max_attempts)
);
CREATE UNIQUE INDEX otp_codes_active ON otp_codes (subscriber_id, purpose) WHERE status = 'active';
CREATE INDEX otp_codes_hour ON otp_codes (subscriber_id, created_at);
CREATE INDEX otp_codes_by_age ON otp_codes (created_at, id);

-- Taps on buttons of messages, each update once.
CREATE TABLE button_clicks (
  update_id bigint PRIMARY KEY,
  delivery_id uuid NOT NULL,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  clicked_at timestamptz NOT NULL,
  -- Of a broadcast or batch: the job, and the text of the button before it was rendered.
  job_id uuid,
  button text
);
CREATE INDEX button_clicks_age ON button_clicks USING brin (clicked_at);
CREATE INDEX button_clicks_message ON button_clicks (delivery_id);
CREATE INDEX button_clicks_subscriber ON button_clicks (subscriber_id);
CREATE INDEX button_clicks_job ON button_clicks (job_id) WHERE job_id IS NOT NULL;

-- ==========
-- broadcasts
-- ==========
-- Broadcasts and batches.

CREATE TABLE broadcasts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'cancelling', 'cancelled', 'completed')),
  content jsonb NOT NULL,
  audience jsonb NOT NULL,
  messages_per_minute int CHECK (messages_per_minute > 0),
  -- Everybody whom the filters name, subscribed or not.
  total int NOT NULL DEFAULT 0,
  -- The counts of one that has ended; while it is under way they are counted.
  sent int,
  failed int,
  skipped int,
  possible_duplicates int,
  -- The holder of the token claims and records. A new token fences out earlier holders.
  run_token uuid,
  -- The pace that the project asked for.
  next_at timestamptz NOT NULL DEFAULT '-infinity',
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz,
  -- A batch is a job like a broadcast, whose recipients have messages of their own.
  kind text NOT NULL DEFAULT 'broadcast' CHECK (kind IN ('broadcast', 'batch')),
  -- The broadcast of an entry with an audience: at most one.
  scheduled_id uuid UNIQUE,
  -- The broadcast of a run, and its recurring message.
  run_id uuid UNIQUE,
  recurring_id uuid,
  -- Where its messages come from.
  source text NOT NULL GENERATED ALWAYS AS (CASE WHEN kind = 'batch' THEN 'batch' WHEN scheduled_id IS NOT NULL THEN 'scheduled'
    WHEN recurring_id IS NOT NULL THEN 'recurring' ELSE 'broadcast' END) STORED,
  source_id uuid NOT NULL GENERATED ALWAYS AS (coalesce(scheduled_id, recurring_id, id)) STORED,
  -- The broadcast whose failed recipients it is for: each is retried once, so that no second retry repeats a message that the
  -- first one has sent.
  retry_of uuid UNIQUE,
  -- The subscriber, or failed recipient, up to whom the audience was copied into recipients, newest first. Null: all of it was.
  copied_at timestamptz,
  copied_id uuid
);
CREATE INDEX broadcasts_open_of_project ON broadcasts (project_id) WHERE status IN ('queued', 'running');
CREATE INDEX broadcasts_page ON broadcasts (project_id, created_at DESC, id DESC);
CREATE INDEX broadcasts_source ON broadcasts (source_id, created_at);
CREATE INDEX broadcasts_by_end ON broadcasts (ended_at) WHERE ended_at IS NOT NULL;

-- The audience, copied when the broadcast begins, a thousand at a time. No reference to the subscriber: one who is removed in the middle
-- still counts. The id is the delivery_id.
CREATE TABLE broadcast_recipients (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  broadcast_id uuid NOT NULL REFERENCES broadcasts ON DELETE CASCADE,
  subscriber_id uuid NOT NULL,
  channel text NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'skipped')),
  -- Of the run that is sending it.
  token uuid,
  -- Calls that the platform has refused for the moment.
  tries int NOT NULL DEFAULT 0,
  -- A run died while its call may have been under way, so it was sent again.
  resent boolean NOT NULL DEFAULT false,
  reason text,
  error text,
  platform_message_id text,
  ended_at timestamptz,
  media_message_id text,
  -- The bot that will send; empty for the shared one.
  bot text NOT NULL DEFAULT '',
  -- Of a batch: the message, the place in the request, the caller's own reference and the permission that the message needs.
  content jsonb,
  position int,
  ref text,
  permission text,
  -- False for one who was skipped from the start, and for an entry of a batch without a subscriber: results without a message.
  is_message boolean NOT NULL DEFAULT true,
  -- Not before this time: the local time of the recipient.
  due_at timestamptz,
  -- The subscription ended within 72 hours of the message.
  unsubscribed boolean NOT NULL DEFAULT false
);
-- Counts, and the results of a broadcast: newest first, those without one last.
CREATE INDEX broadcast_recipients_results ON broadcast_recipients (broadcast_id, status, coalesce(ended_at, 'epoch'), id);
-- The log of messages.
CREATE INDEX broadcast_recipients_log ON broadcast_recipients (broadcast_id, status, id) WHERE is_message;
CREATE INDEX broadcast_recipients_subscriber ON broadcast_recipients (subscriber_id);
CREATE INDEX broadcast_recipients_unsubscribed ON broadcast_recipients (broadcast_id) WHERE unsubscribed;
-- A broadcast is sent by each bot separately, so that one bot that waits does not hold up the other.
CREATE INDEX broadcast_recipients_by_bot ON broadcast_recipients (broadcast_id, channel, bot, position, id)
  WHERE status = 'queued';

CREATE INDEX broadcast_recipients_due ON broadcast_recipients (broadcast_id, due_at)
  WHERE status = 'queued' AND due_at IS NOT NULL;

-- =========
-- scheduled
-- =========
-- Messages and broadcasts at a time.

-- The row is the truth; workflow `scheduled/<id>` sleeps until `next_at`.
CREATE TABLE scheduled (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text,
  -- As given: a template is the one of the moment of sending.
  content jsonb NOT NULL,
  -- Exactly one of the three.
  subscriber_id uuid,
  external_id text,
  audience jsonb,
  channels text[],
  permission text,
  -- As given: a moment, or a local time of `timezone`, which is an IANA name or `recipient`.
  scheduled_at text NOT NULL,
  timezone text,
  status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('scheduled', 'sending', 'sent', 'failed', 'skipped', 'cancelled')),
  reason text,
  job_id uuid,
  -- When the workflow has something to do next; null once the entry has ended or its broadcast sends.
  next_at timestamptz,
  -- Counts changes by the API: what was prepared for a run before one is dropped.
  revision int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX scheduled_page ON scheduled (project_id, created_at DESC, id DESC);
CREATE INDEX scheduled_open ON scheduled (project_id) WHERE ended_at IS NULL;
CREATE INDEX scheduled_ended ON scheduled (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX scheduled_subscriber ON scheduled (subscriber_id) WHERE subscriber_id IS NOT NULL;
-- Messages for a person are found by their external_id, too.
CREATE INDEX scheduled_external ON scheduled (project_id, external_id) WHERE external_id IS NOT NULL;

-- The result for each subscriber of an entry without an audience, written once, with its event.
CREATE TABLE scheduled_results (
  scheduled_id uuid NOT NULL REFERENCES scheduled ON DELETE CASCADE,
  subscriber_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('sent', 'failed', 'skipped')),
  PRIMARY KEY (scheduled_id, subscriber_id)
);
CREATE INDEX scheduled_results_subscriber ON scheduled_results (subscriber_id);

-- =========
-- recurring
-- =========
-- Broadcasts again and again.

-- The row is the truth; workflow `recurring/<id>` sleeps until `next_at`.
CREATE TABLE recurring (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  content jsonb NOT NULL,
  audience jsonb NOT NULL,
  cron text NOT NULL,
  timezone text NOT NULL,
  start_at timestamptz,
  end_at timestamptz,
  max_runs int,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'ended')),
  -- Broadcasts that were started, at an occurrence or by a manual run.
  runs int NOT NULL DEFAULT 0,
  last_run_at timestamptz,
  -- The first occurrence that is not claimed, or the end of a paused message; null if there is nothing to wait for.
  next_at timestamptz,
  -- Counts changes by the API: what was prepared for a run before one is dropped.
  revision int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  deleted_at timestamptz
);
CREATE INDEX recurring_page ON recurring (project_id, created_at DESC, id DESC);
CREATE INDEX recurring_open ON recurring (project_id) WHERE ended_at IS NULL;

CREATE TABLE recurring_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  recurring_id uuid NOT NULL REFERENCES recurring ON DELETE CASCADE,
  scheduled_for timestamptz NOT NULL,
  -- The wall clock's time, which claims the occurrence; null for a manual run, and where a change of the times left it out.
  local_time text,
  status text NOT NULL CHECK (status IN ('started', 'completed', 'skipped', 'failed')),
  reason text,
  job_id uuid,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (recurring_id, local_time)
);
CREATE INDEX recurring_runs_page ON recurring_runs (recurring_id, scheduled_for DESC, id DESC);
CREATE INDEX recurring_runs_age ON recurring_runs (created_at);
-- Whether the last run still sends.
CREATE INDEX recurring_runs_open ON recurring_runs (recurring_id) WHERE status = 'started';

-- ========
-- helpdesk
-- ========

-- The settings of a project's helpdesk; without a row it is off, with the defaults.
CREATE TABLE helpdesks (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  enabled boolean NOT NULL DEFAULT false,
  -- Null: never.
  first_reply_hours int DEFAULT 24,
  resolve_hours int,
  csat boolean NOT NULL DEFAULT true,
  reopen_days int DEFAULT 7,
  auto_close_days int,
  -- Of the newest ticket.
  last_number int NOT NULL DEFAULT 0
);

CREATE TABLE ticket_types (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name_en text NOT NULL,
  name_ru text NOT NULL,
  priority text NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  assignee_id uuid REFERENCES members ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ticket_types_page ON ticket_types (project_id, created_at DESC, id DESC);
CREATE INDEX ticket_types_assignee ON ticket_types (assignee_id) WHERE assignee_id IS NOT NULL;

-- The row is the truth; workflow `ticket/<id>` runs while one of its timers is set. Kind `ticket` of the agenda.
CREATE TABLE tickets (
  -- Also the id of the request that created it.
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  number int NOT NULL,
  subject text,
  status text NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'in_progress', 'waiting', 'closed')),
  priority text NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
  -- No foreign keys of the type and the assignee, nor of the author of a message: `ticket_sweeps` clears them in batches.
  type_id uuid,
  source text NOT NULL CHECK (source IN ('bot', 'api', 'form')),
  -- Null where the customer is virtual or was removed.
  subscriber_id uuid REFERENCES subscribers ON DELETE SET NULL,
  -- A customer without a subscriber.
  virtual boolean NOT NULL,
  customer_name text,
  customer_contact text,
  assignee_id uuid,
  -- The oldest message of the customer without a public answer since, and whether `ticket.unanswered_24h` told of it.
  waiting_since timestamptz,
  unanswered_reported boolean NOT NULL DEFAULT false,
  first_reply_at timestamptz,
  first_reply_due_at timestamptz,
  resolve_due_at timestamptz,
  -- The next time that can pass unmet.
  due_at timestamptz GENERATED ALWAYS AS (
    CASE WHEN status = 'closed' THEN NULL
      WHEN first_reply_at IS NULL THEN least(first_reply_due_at, resolve_due_at)
      ELSE resolve_due_at END) STORED,
  -- Since when the status is what it is.
  status_since timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- `wanted` from the close until the question was sent; the first tap ends it.
  csat text CHECK (csat IN ('wanted', 'asking', 'asked')),
  csat_asked_at timestamptz,
  csat_score int CHECK (csat_score BETWEEN 1 AND 5),
  -- What the bot itself has said about it in the customer's chat, newest first: a message that quotes one belongs here.
  bot_message_ids text[] NOT NULL DEFAULT '{}',
  -- The beginning of the newest public message, for lists.
  preview text,
  -- The words of the subject, the first message and the customer, each with the project before it: a search reads only its own.
  words tsvector NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  closed_at timestamptz,
  UNIQUE (project_id, number)
);
-- The inbox, newest first, with each of its filters.
CREATE INDEX tickets_page ON tickets (project_id, created_at DESC, id DESC);
CREATE INDEX tickets_open ON tickets (project_id, created_at DESC, id DESC) WHERE status <> 'closed';
CREATE INDEX tickets_updated ON tickets (project_id, updated_at DESC, id DESC);
CREATE INDEX tickets_open_updated ON tickets (project_id, updated_at DESC, id DESC) WHERE status <> 'closed';
CREATE INDEX tickets_status ON tickets (project_id, status, created_at DESC, id DESC);
CREATE INDEX tickets_assignee ON tickets (project_id, assignee_id, created_at DESC, id DESC);
CREATE INDEX tickets_priority ON tickets (project_id, priority, created_at DESC, id DESC);
CREATE INDEX tickets_type ON tickets (project_id, type_id, created_at DESC, id DESC);
CREATE INDEX tickets_due ON tickets (project_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX tickets_words ON tickets USING gin (words);
CREATE INDEX tickets_subscriber ON tickets (subscriber_id, created_at DESC) WHERE subscriber_id IS NOT NULL;
CREATE INDEX tickets_of_member ON tickets (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX tickets_of_type ON tickets (type_id) WHERE type_id IS NOT NULL;
CREATE INDEX tickets_closed ON tickets (closed_at, id) WHERE closed_at IS NOT NULL;

-- The timeline of a ticket: messages of both sides, internal notes, changes.
CREATE TABLE ticket_messages (
  -- Also the id of the request that created it, and of the request of the message that it is sent as.
  id uuid PRIMARY KEY,
  ticket_id uuid NOT NULL REFERENCES tickets ON DELETE CASCADE,
  sender text NOT NULL CHECK (sender IN ('customer', 'agent', 'system')),
  internal boolean NOT NULL DEFAULT false,
  text text NOT NULL,
  -- With the messenger's reference to each file, and the bot that received it.
  attachments jsonb NOT NULL DEFAULT '[]',
  -- Of `system`: the field, and its value before and after.
  change jsonb,
  member_id uuid,
  -- Whether it was sent to the customer's messenger: null if not. Kept here when `messages` forgets it.
  delivery_status text CHECK (delivery_status IN ('queued', 'sent', 'failed')),
  delivery_reason text,
  -- In the customer's chat, by which it is quoted. Of a reply `messages` has it too, for some time.
  chat_message_id text,
  -- The update that it came with: one that is handled again adds nothing.
  update_id bigint UNIQUE,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ticket_messages_page ON ticket_messages (ticket_id, created_at DESC, id DESC);
CREATE INDEX ticket_messages_member ON ticket_messages (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX ticket_messages_quoted ON ticket_messages (ticket_id, chat_message_id) WHERE chat_message_id IS NOT NULL;

-- Work on many tickets that is left, or that is done once more after a while: to clear a type, an assignee or an author that was
-- removed, and to wake the waiting tickets of a project whose `auto_close_days` has changed. No foreign key: a removed project
-- has nothing left to do.
CREATE TABLE ticket_sweeps (
  kind text NOT NULL CHECK (kind IN ('type', 'assignee', 'author', 'waiting')),
  -- Of the type, the member or the project.
  id uuid NOT NULL,
  project_id uuid NOT NULL,
  -- Waiting tickets from here on, newest first, are woken.
  after_at timestamptz NOT NULL DEFAULT 'infinity',
  after_id uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, id)
);

-- What the bot and a user are in the middle of.
CREATE TABLE ticket_chats (
  channel text NOT NULL,
  -- The key of the bot.
  bot text NOT NULL,
  platform_user_id text NOT NULL,
  -- A request being written: the next message creates it.
  writing_project_id uuid REFERENCES projects ON DELETE CASCADE,
  writing_type_id uuid REFERENCES ticket_types ON DELETE SET NULL,
  -- The ticket that the user has chosen, for some time.
  ticket_id uuid REFERENCES tickets ON DELETE SET NULL,
  chosen_until timestamptz,
  updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (channel, platform_user_id, bot)
);
CREATE INDEX ticket_chats_age ON ticket_chats (updated_at);
CREATE INDEX ticket_chats_project ON ticket_chats (writing_project_id) WHERE writing_project_id IS NOT NULL;
CREATE INDEX ticket_chats_type ON ticket_chats (writing_type_id) WHERE writing_type_id IS NOT NULL;
CREATE INDEX ticket_chats_ticket ON ticket_chats (ticket_id) WHERE ticket_id IS NOT NULL;

-- Messages that wait until the user says which ticket they are about.
CREATE TABLE ticket_kept_messages (
  update_id bigint PRIMARY KEY,
  channel text NOT NULL,
  bot text NOT NULL,
  platform_user_id text NOT NULL,
  message jsonb NOT NULL,
  received_at timestamptz NOT NULL
);
CREATE INDEX ticket_kept_messages_user ON ticket_kept_messages (channel, platform_user_id, bot, update_id);
CREATE INDEX ticket_kept_messages_age ON ticket_kept_messages (received_at);

-- ====
-- drip
-- ====
-- Drip chains and enrolments.

-- Drip chains: steps for one subscriber over time. The row of an enrolment is the truth; workflow `drip/<enrolment>`
-- sleeps until `next_at`.
CREATE TABLE drip_chains (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  trigger jsonb NOT NULL,
  reentry text NOT NULL CHECK (reentry IN ('once', 'again')),
  status text NOT NULL CHECK (status IN ('draft', 'active', 'paused')),
  -- The version that new enrolments get.
  version int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz
);
CREATE INDEX drip_chains_page ON drip_chains (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
-- The chains that a cause enrols into.
CREATE INDEX drip_chains_trigger ON drip_chains (project_id, ((trigger ->> 'type')))
  WHERE (status = 'active') AND (deleted_at IS NULL);
CREATE INDEX drip_chains_deleted ON drip_chains (deleted_at) WHERE deleted_at IS NOT NULL;

-- An enrolment keeps the version that it began with, unless it is migrated.
CREATE TABLE drip_versions (
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  version int NOT NULL,
  steps jsonb NOT NULL,
  -- By which a page of chains ends, without reading the steps of those that are not on it.
  steps_bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(steps::text)) STORED,
  exit_on jsonb,
  PRIMARY KEY (drip_id, version)
);

-- Changes of chains that have not been applied to all enrolments.
CREATE TABLE drip_syncs (
  drip_id uuid PRIMARY KEY REFERENCES drip_chains ON DELETE CASCADE,
  -- Active enrolments of earlier versions move to this one.
  migrate_version int,
  -- The last subscriber whose enrolment was changed; they are walked in this order.
  after_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  -- Enrolments are woken one after the other: the next one at this time.
  paced_until timestamptz
);

-- Who has ever entered a chain: `once` outlives the enrolment's row.
CREATE TABLE drip_entrants (
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  PRIMARY KEY (drip_id, subscriber_id)
);
CREATE INDEX drip_entrants_subscriber ON drip_entrants (subscriber_id);

-- Subscribers who will enter a chain: enrolments of one cause beyond the first thousand, in batches that the agenda enrols. Their
-- enrolment deletes the row.
CREATE TABLE drip_entries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  subscriber_ids uuid[] NOT NULL,
  -- Of the event that enrols them.
  properties jsonb NOT NULL
);
CREATE INDEX drip_entries_chain ON drip_entries (drip_id);

CREATE TABLE drip_enrolments (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  version int NOT NULL,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  -- The request of a manual enrolment.
  request_id uuid,
  -- Of the event that began it; `event.` in templates.
  properties jsonb NOT NULL DEFAULT '{}',
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'exited', 'cancelled')),
  reason text,
  -- The current step; it has not begun while `step_began_at` is null.
  step_id text,
  step_began_at timestamptz,
  -- Steps that have begun.
  steps_begun int NOT NULL DEFAULT 0,
  steps_sent int NOT NULL DEFAULT 0,
  -- When the workflow has something to do next; null once the enrolment has ended.
  next_at timestamptz DEFAULT now(),
  -- It was due while its chain was not active, and waits without a workflow.
  parked boolean NOT NULL DEFAULT false,
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX drip_enrolments_one_active ON drip_enrolments (drip_id, subscriber_id) WHERE ended_at IS NULL;
CREATE INDEX drip_enrolments_page ON drip_enrolments (drip_id, started_at DESC, id DESC);
CREATE INDEX drip_enrolments_subscriber ON drip_enrolments (subscriber_id, drip_id, started_at);
CREATE INDEX drip_enrolments_request ON drip_enrolments (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX drip_enrolments_due ON drip_enrolments (next_at) WHERE ended_at IS NULL;
CREATE INDEX drip_enrolments_ended ON drip_enrolments (ended_at) WHERE ended_at IS NOT NULL;
-- What goes on when a chain is active again, the longest due first.
CREATE INDEX drip_enrolments_parked ON drip_enrolments (drip_id, next_at, id) WHERE parked;

-- Each step of an enrolment, claimed once. The id is the request of a send step's message.
CREATE TABLE drip_steps (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  enrolment_id uuid NOT NULL REFERENCES drip_enrolments ON DELETE CASCADE,
  drip_id uuid NOT NULL,
  n int NOT NULL,
  version int NOT NULL,
  step_id text NOT NULL,
  -- The result of a send step.
  status text CHECK (status IN ('sent', 'failed', 'skipped')),
  reason text,
  -- Its message is sent again once, if a worker died while it was being sent.
  resent boolean NOT NULL DEFAULT false,
  began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  UNIQUE (enrolment_id, n)
);
CREATE INDEX drip_steps_counts ON drip_steps (drip_id, version, step_id, status);

-- =====
-- forms
-- =====
-- Forms and submissions.

CREATE TABLE forms (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  title_en text,
  title_ru text,
  fields jsonb NOT NULL,
  routes jsonb NOT NULL,
  allowed_origins text[] NOT NULL,
  min_seconds int NOT NULL,
  captcha_url text,
  captcha_sealed text,
  -- Signs tokens and the links of subscribers.
  signing_sealed text NOT NULL,
  redirect_url text,
  status text NOT NULL CHECK (status IN ('active', 'disabled')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- Its submissions are removed after it, in batches.
  deleted_at timestamptz
);
CREATE INDEX forms_page ON forms (project_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX forms_deleted ON forms (deleted_at) WHERE deleted_at IS NOT NULL;

-- The row is the truth; workflow `form/<id>` runs the routes.
CREATE TABLE form_submissions (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  form_id uuid NOT NULL REFERENCES forms ON DELETE CASCADE,
  -- Null for a submission from a site, and from the page without a signed link.
  subscriber_id uuid REFERENCES subscribers ON DELETE CASCADE,
  status text NOT NULL CHECK (status IN ('new', 'spam')),
  answers jsonb NOT NULL,
  source text NOT NULL CHECK (source IN ('web', 'hosted', 'bot')),
  -- The hash of `_request_id`, by which a repeated request finds it.
  request_hash bytea,
  -- Its form.submitted; null while there is none.
  event_id uuid,
  -- When the workflow reads the row again; null once all routes have run.
  next_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX form_submissions_request ON form_submissions (form_id, request_hash) WHERE request_hash IS NOT NULL;
CREATE INDEX form_submissions_page ON form_submissions (form_id, status, created_at DESC, id DESC);
CREATE INDEX form_submissions_form ON form_submissions (form_id, created_at DESC, id DESC);
CREATE INDEX form_submissions_project ON form_submissions (project_id, created_at DESC, id DESC);
CREATE INDEX form_submissions_subscriber ON form_submissions (subscriber_id) WHERE subscriber_id IS NOT NULL;
CREATE INDEX form_submissions_age ON form_submissions (status, created_at);
CREATE INDEX form_submissions_running ON form_submissions (project_id, next_at) WHERE next_at IS NOT NULL;

-- The routes of a submission, fixed in its commit. UNIQUE: each runs once. The id is the request of a route's message.
CREATE TABLE submission_routes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  submission_id uuid NOT NULL REFERENCES form_submissions ON DELETE CASCADE,
  index int NOT NULL,
  route jsonb NOT NULL,
  -- Null until it has run.
  status text CHECK (status IN ('done', 'skipped', 'failed')),
  reason text,
  -- A worker died while its message was being sent, and it was sent again.
  resent boolean NOT NULL DEFAULT false,
  began_at timestamptz,
  ended_at timestamptz,
  UNIQUE (submission_id, index)
);

-- Forms that are being filled in the bot: one for each user and bot.
CREATE TABLE form_drafts (
  -- The key of the bot.
  bot text NOT NULL,
  channel text NOT NULL,
  platform_user_id text NOT NULL,
  form_id uuid NOT NULL REFERENCES forms ON DELETE CASCADE,
  -- The id of the submission that it becomes.
  submission_id uuid NOT NULL,
  -- By field; null where it was skipped.
  answers jsonb NOT NULL DEFAULT '{}',
  -- The options of a multiselect that were tapped so far.
  chosen text[] NOT NULL DEFAULT '{}',
  -- Kept until it expires: an update that is handled again finds that it has been submitted.
  submitted boolean NOT NULL DEFAULT false,
  -- The last update that has changed it.
  update_id bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (bot, platform_user_id)
);
CREATE INDEX form_drafts_form ON form_drafts (form_id);
CREATE INDEX form_drafts_expiry ON form_drafts (expires_at);

-- ====
-- oidc
-- ====
-- OpenID Connect.

CREATE TABLE oidc_clients (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('confidential', 'public')),
  redirect_uris text[] NOT NULL,
  post_logout_redirect_uris text[] NOT NULL,
  id_token_alg text NOT NULL CHECK (id_token_alg IN ('RS256', 'ES256')),
  device boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX oidc_clients_page ON oidc_clients (project_id, created_at DESC, id DESC);

-- A secret has 256 random bits, so its hash is enough to compare. A replaced one is valid until it expires.
CREATE TABLE oidc_client_secrets (
  -- Also the id of the request that created it.
  id uuid PRIMARY KEY,
  client_id uuid NOT NULL REFERENCES oidc_clients ON DELETE CASCADE,
  hash bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz
);
CREATE INDEX oidc_client_secrets_client ON oidc_client_secrets (client_id);
CREATE UNIQUE INDEX oidc_client_secrets_current ON oidc_client_secrets (client_id) WHERE expires_at IS NULL;

-- Private keys in JWK form, sealed. A replaced key stays published until it expires.
CREATE TABLE oidc_keys (
  id uuid PRIMARY KEY,
  alg text NOT NULL CHECK (alg IN ('RS256', 'ES256')),
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz
);
CREATE UNIQUE INDEX oidc_keys_current ON oidc_keys (alg) WHERE expires_at IS NULL;

-- The sessions that the provider started, and what waits for each: an interaction of a browser or a device code.
CREATE TABLE oidc_logins (
  session_id uuid PRIMARY KEY REFERENCES auth_sessions ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  client_id uuid REFERENCES oidc_clients ON DELETE SET NULL,
  interaction text,
  device_hash bytea,
  -- The browser's address, of IPv6 the /64 network; erased with the person.
  address text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (num_nonnulls(interaction, device_hash) = 1)
);
CREATE INDEX oidc_logins_address ON oidc_logins (project_id, address, created_at);
CREATE INDEX oidc_logins_device ON oidc_logins (device_hash) WHERE device_hash IS NOT NULL;
CREATE INDEX oidc_logins_client ON oidc_logins (client_id) WHERE client_id IS NOT NULL;

-- What the provider stores: interactions, sessions, grants, codes and tokens. Their ids are bearer secrets, so only the
-- hashes are kept.
CREATE TABLE oidc_records (
  model text NOT NULL,
  id_hash bytea NOT NULL,
  payload jsonb NOT NULL,
  grant_id text,
  -- A removed subscriber takes every token along.
  account_id uuid REFERENCES subscribers ON DELETE CASCADE,
  user_code text,
  consumed_at timestamptz,
  -- Of a device code: the last poll that was not too early.
  polled_at timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (model, id_hash)
);
CREATE INDEX oidc_records_grant ON oidc_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oidc_records_account ON oidc_records (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX oidc_records_expiry ON oidc_records (expires_at);
CREATE UNIQUE INDEX oidc_records_user_code ON oidc_records (user_code) WHERE user_code IS NOT NULL;
