-- Broadcasts again and again. The row is the truth; the Temporal Schedule `recurring/<id>` is a copy of it.
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
  -- Broadcasts that were started, by the schedule or by hand.
  runs int NOT NULL DEFAULT 0,
  last_run_at timestamptz,
  -- The schedule's note names the revision that it is a copy of.
  revision int NOT NULL DEFAULT 1,
  -- When the schedule is compared with the row; null once it has ended and its schedule is gone.
  sync_at timestamptz DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz,
  deleted_at timestamptz
);
CREATE INDEX recurring_page ON recurring (project_id, created_at DESC, id DESC);
CREATE INDEX recurring_open ON recurring (project_id) WHERE ended_at IS NULL;
CREATE INDEX recurring_sync ON recurring (sync_at) WHERE sync_at IS NOT NULL;

CREATE TABLE recurring_runs (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  recurring_id uuid NOT NULL REFERENCES recurring ON DELETE CASCADE,
  scheduled_for timestamptz NOT NULL,
  -- The wall clock's time, which claims the occurrence; null for a run by hand.
  local_time text,
  status text NOT NULL CHECK (status IN ('started', 'completed', 'skipped', 'failed')),
  reason text,
  job_id uuid,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (recurring_id, local_time)
);
CREATE INDEX recurring_runs_page ON recurring_runs (recurring_id, scheduled_for DESC, id DESC);
CREATE INDEX recurring_runs_age ON recurring_runs (created_at);

-- The broadcast of a run.
ALTER TABLE broadcasts ADD COLUMN run_id uuid UNIQUE;
