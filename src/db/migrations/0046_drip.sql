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
CREATE INDEX drip_chains_trigger ON drip_chains (project_id, (trigger ->> 'type'))
  WHERE status = 'active' AND deleted_at IS NULL;
CREATE INDEX drip_chains_deleted ON drip_chains (deleted_at) WHERE deleted_at IS NOT NULL;

-- An enrolment keeps the version that it began with, unless it is migrated.
CREATE TABLE drip_versions (
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  version int NOT NULL,
  steps jsonb NOT NULL,
  exit_on jsonb,
  PRIMARY KEY (drip_id, version)
);

-- Who has ever entered a chain: `once` outlives the enrolment's row.
CREATE TABLE drip_entrants (
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  PRIMARY KEY (drip_id, subscriber_id)
);
CREATE INDEX drip_entrants_subscriber ON drip_entrants (subscriber_id);

CREATE TABLE drip_enrolments (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  drip_id uuid NOT NULL REFERENCES drip_chains ON DELETE CASCADE,
  version int NOT NULL,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  -- The request of an enrolment by hand.
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
  -- Counts requests to wake the workflow: the relay must not clear one that came after its claim.
  revision int NOT NULL DEFAULT 1,
  -- When the relay starts or signals the workflow; null if there is nothing to do.
  wake_at timestamptz DEFAULT now(),
  started_at timestamptz NOT NULL DEFAULT now(),
  ended_at timestamptz
);
CREATE UNIQUE INDEX drip_enrolments_one_active ON drip_enrolments (drip_id, subscriber_id) WHERE ended_at IS NULL;
CREATE INDEX drip_enrolments_page ON drip_enrolments (drip_id, started_at DESC, id DESC);
CREATE INDEX drip_enrolments_subscriber ON drip_enrolments (subscriber_id, drip_id, started_at);
CREATE INDEX drip_enrolments_request ON drip_enrolments (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX drip_enrolments_wake ON drip_enrolments (project_id, wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX drip_enrolments_due ON drip_enrolments (next_at) WHERE ended_at IS NULL;
CREATE INDEX drip_enrolments_ended ON drip_enrolments (ended_at) WHERE ended_at IS NOT NULL;

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
