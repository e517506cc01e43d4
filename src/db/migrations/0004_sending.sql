-- Messages, broadcasts and one-time codes, and what makes a repeated request harmless.

CREATE INDEX subscribers_tags ON subscribers USING gin (tags);
CREATE INDEX subscribers_permissions ON subscribers USING gin (permissions);

-- The distinct tags and permissions of a project: counting them over its subscribers would take longer with every
-- subscriber. A name that nobody has any more goes when room is needed.
CREATE TABLE project_labels (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('tags', 'permissions')),
  name text NOT NULL,
  PRIMARY KEY (project_id, kind, name)
);

-- Messages to one subscriber: /v1/send and one-time codes. The id is the delivery_id.
CREATE TABLE messages (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- One for each accepted request; a request that is taken up again after a crash finds its messages by it.
  request_id uuid NOT NULL,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  channel text NOT NULL CHECK (channel IN ('telegram', 'max')),
  kind text NOT NULL CHECK (kind IN ('send', 'otp')),
  -- Null for one-time codes: those are kept nowhere.
  content jsonb,
  -- `sending` is committed before the call: after a crash it means that nobody knows.
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'sending', 'sent', 'failed')),
  reason text,
  error text,
  platform_message_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  attempted_at timestamptz,
  ended_at timestamptz,
  UNIQUE (request_id, subscriber_id)
);
CREATE INDEX messages_open ON messages (created_at) WHERE status IN ('queued', 'sending');
CREATE INDEX messages_subscriber ON messages (subscriber_id, created_at DESC);
CREATE INDEX messages_age ON messages USING brin (created_at);

CREATE TABLE idempotency_keys (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  request_id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Who runs it, until when that one is believed to be alive. Both null once there is an answer.
  owner uuid,
  leased_until timestamptz,
  -- The recorded answer: a body, or an error's code and text.
  answer json,
  error_code text,
  error_text text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- The pace of each bot, shared by every process: the next free moment on the average and at the peak, and the end of a
-- pause that the platform asked for.
CREATE TABLE channel_pace (
  channel text PRIMARY KEY,
  next_at timestamptz NOT NULL DEFAULT '-infinity',
  peak_at timestamptz NOT NULL DEFAULT '-infinity',
  paused_until timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO channel_pace (channel) VALUES ('telegram'), ('max');

CREATE TABLE broadcasts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  status text NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'running', 'cancelling', 'cancelled', 'completed')),
  content jsonb NOT NULL,
  audience jsonb NOT NULL,
  messages_per_minute int CHECK (messages_per_minute > 0),
  -- Everybody whom the filters name; those who were inactive already have no row.
  total int NOT NULL DEFAULT 0,
  inactive int NOT NULL DEFAULT 0,
  -- The counts of one that has ended; while it is under way they are counted.
  sent int,
  failed int,
  skipped int,
  possible_duplicates int,
  -- Whoever holds the token may claim and record. A new holder makes an older one powerless.
  run_token uuid,
  -- The pace that the project asked for.
  next_at timestamptz NOT NULL DEFAULT '-infinity',
  -- For the relay: when to make sure that the workflow runs. A worker at work keeps moving it on.
  start_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz
);
CREATE INDEX broadcasts_page ON broadcasts (project_id, created_at DESC, id DESC);
CREATE INDEX broadcasts_open ON broadcasts (start_at) WHERE status IN ('queued', 'running', 'cancelling');

-- The audience as it was when the broadcast began. No reference to the subscriber: one who is removed in the middle
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
  ended_at timestamptz
);
CREATE INDEX broadcast_recipients_counts ON broadcast_recipients (broadcast_id, status);
CREATE INDEX broadcast_recipients_queued ON broadcast_recipients (broadcast_id, channel, id) WHERE status = 'queued';

CREATE TABLE otp_codes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  purpose text NOT NULL,
  -- HMAC with a key that the database does not know: a short code would be guessed from a plain hash.
  code_hash bytea NOT NULL,
  -- `sending`: on its way, counted in the hour, not valid yet.
  status text NOT NULL DEFAULT 'sending'
    CHECK (status IN ('sending', 'active', 'replaced', 'verified', 'exhausted')),
  attempts int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz,
  CHECK (attempts <= max_attempts)
);
CREATE UNIQUE INDEX otp_codes_active ON otp_codes (subscriber_id, purpose) WHERE status = 'active';
CREATE INDEX otp_codes_hour ON otp_codes (subscriber_id, created_at);

-- Taps on buttons of messages, each update once.
CREATE TABLE button_clicks (
  update_id bigint PRIMARY KEY,
  delivery_id uuid NOT NULL,
  clicked_at timestamptz NOT NULL
);
CREATE INDEX button_clicks_age ON button_clicks USING brin (clicked_at);
