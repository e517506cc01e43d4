-- People who use the dashboard, and their places in the teams of projects. An account is a user of a messenger; a user
-- who comes through both messengers has two.
CREATE TABLE accounts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  channel text NOT NULL CHECK (channel IN ('telegram', 'max')),
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
  account_id uuid REFERENCES accounts ON DELETE SET NULL
);
CREATE INDEX invitations_project ON invitations (project_id, created_at DESC, id DESC);
CREATE INDEX invitations_age ON invitations (expires_at);

-- Projects that belong to Herald itself. A table of its own: `projects` is read whole by prepared statements of 0.1.0,
-- which would fail after a column was added.
CREATE TABLE system_projects (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  purpose text NOT NULL UNIQUE CHECK (purpose IN ('sign_in'))
);

-- A session belongs to an API key or to an account. `project_id` is the project that an account is looking at.
ALTER TABLE dashboard_sessions ALTER COLUMN key_id DROP NOT NULL;
ALTER TABLE dashboard_sessions
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN account_id uuid REFERENCES accounts ON DELETE CASCADE,
  ADD COLUMN project_id uuid REFERENCES projects ON DELETE SET NULL,
  ADD COLUMN ip text,
  ADD COLUMN user_agent text,
  ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now(),
  ADD CONSTRAINT dashboard_sessions_owner CHECK (num_nonnulls(key_id, account_id) = 1);

-- Who changed what in a project. No contents: only the action and the id of what was changed.
CREATE TABLE audit_entries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  actor_type text NOT NULL CHECK (actor_type IN ('member', 'key', 'cli', 'system')),
  actor_id uuid,
  action text NOT NULL,
  target_id text,
  ip text,
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX audit_entries_page ON audit_entries (project_id, at DESC, id DESC);
CREATE INDEX audit_entries_age ON audit_entries (at);

-- Messages of the bot to members about an event of their project, queued in the event's transaction.
CREATE TABLE member_notices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  event_id uuid NOT NULL REFERENCES events ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  send_at timestamptz NOT NULL DEFAULT now(),
  failures int NOT NULL DEFAULT 0,
  UNIQUE (event_id, account_id)
);
CREATE INDEX member_notices_due ON member_notices (send_at);
CREATE INDEX member_notices_account ON member_notices (account_id);
CREATE INDEX member_notices_age ON member_notices (created_at);
