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
