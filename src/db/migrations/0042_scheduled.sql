-- Messages and broadcasts at a time. The row is the truth; workflow `scheduled/<id>` sleeps until `next_at`.
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
  status text NOT NULL DEFAULT 'scheduled'
    CHECK (status IN ('scheduled', 'sending', 'sent', 'failed', 'skipped', 'cancelled')),
  reason text,
  job_id uuid,
  -- When the workflow has something to do next; null once the entry has ended or its broadcast sends.
  next_at timestamptz,
  -- Counts changes by the API: the relay must not clear a wake-up that came after its claim.
  revision int NOT NULL DEFAULT 1,
  -- When the relay starts or signals the workflow; null if there is nothing left to do.
  wake_at timestamptz DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE INDEX scheduled_page ON scheduled (project_id, created_at DESC, id DESC);
CREATE INDEX scheduled_wake ON scheduled (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX scheduled_open ON scheduled (project_id) WHERE ended_at IS NULL;
CREATE INDEX scheduled_ended ON scheduled (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX scheduled_subscriber ON scheduled (subscriber_id) WHERE subscriber_id IS NOT NULL;

-- The result for each subscriber of an entry without an audience, written once, with its event.
CREATE TABLE scheduled_results (
  scheduled_id uuid NOT NULL REFERENCES scheduled ON DELETE CASCADE,
  subscriber_id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('sent', 'failed', 'skipped')),
  PRIMARY KEY (scheduled_id, subscriber_id)
);
CREATE INDEX scheduled_results_subscriber ON scheduled_results (subscriber_id);

-- The broadcast of an entry with an audience: at most one.
ALTER TABLE broadcasts ADD COLUMN scheduled_id uuid UNIQUE;
-- Not before this time: the local time of the recipient.
ALTER TABLE broadcast_recipients ADD COLUMN due_at timestamptz;

-- Open scheduled and recurring messages and chains together; null: the default.
ALTER TABLE project_settings ADD COLUMN scheduled_entries int CHECK (scheduled_entries > 0);
