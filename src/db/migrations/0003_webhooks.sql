-- Webhook endpoints with their secrets, and the deliveries with their attempts.

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
  -- Why the service itself disabled it; null when a person did.
  disabled_reason text,
  -- Raised by every change, so that an attempt made before a change cannot disable what came after it.
  version int NOT NULL DEFAULT 1,
  -- Since when there has been nothing but failures, the delivery that began it, and whether another one failed too.
  failing_since timestamptz,
  failing_delivery uuid,
  failing_several boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The log of a deleted endpoint stays readable until its retention is over.
  deleted_at timestamptz
);
CREATE INDEX endpoints_project ON endpoints (project_id, created_at DESC) WHERE deleted_at IS NULL;
CREATE INDEX endpoints_deleted ON endpoints (id) WHERE deleted_at IS NOT NULL;

-- Every live secret signs, newest first. A null expires_at marks the newest; the others live 24 h after their rotation.
CREATE TABLE endpoint_secrets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint_id uuid NOT NULL REFERENCES endpoints ON DELETE CASCADE,
  sealed text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);
CREATE INDEX endpoint_secrets_endpoint ON endpoint_secrets (endpoint_id, id DESC);

CREATE TABLE deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  endpoint_id uuid NOT NULL REFERENCES endpoints ON DELETE CASCADE,
  event_id uuid NOT NULL REFERENCES events ON DELETE CASCADE,
  event_name text NOT NULL,
  lane text NOT NULL DEFAULT 'workflow' CHECK (lane IN ('workflow', 'express')),
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
  -- Places of the schedule used up. An attempt that somebody asked for uses none.
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

  -- For the relay: when to start or wake the workflow (a claim moves it on as its lease); null: nothing to do.
  start_at timestamptz DEFAULT now(),
  started boolean NOT NULL DEFAULT false,
  -- One of the endpoint's slots is held until then, at the latest.
  slot_until timestamptz,
  -- For the reconciler: if nothing has happened by then, somebody should ask whether the workflow still exists.
  overdue_at timestamptz NOT NULL DEFAULT now() + interval '2 minutes'
);
CREATE INDEX deliveries_log ON deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_open ON deliveries (endpoint_id, created_at) WHERE status = 'pending';
CREATE INDEX deliveries_failed ON deliveries (endpoint_id, ended_at) WHERE status = 'failed';
CREATE INDEX deliveries_to_start ON deliveries (endpoint_id, bulk, start_at)
  WHERE status = 'pending' AND start_at IS NOT NULL;
CREATE INDEX deliveries_to_stop ON deliveries (start_at) WHERE status = 'cancelled' AND start_at IS NOT NULL;
CREATE INDEX deliveries_slots ON deliveries (endpoint_id, slot_until) WHERE slot_until IS NOT NULL;
CREATE INDEX deliveries_overdue ON deliveries (overdue_at) WHERE status = 'pending' AND start_at IS NULL;

-- UNIQUE (delivery, number) and a result that is written once: what has a result is never sent again.
CREATE TABLE attempts (
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
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
  PRIMARY KEY (delivery_id, number)
);

-- Requests to retry, by their own Idempotency-Key.
CREATE TABLE delivery_retries (
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  idempotency_key text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (delivery_id, idempotency_key)
);

-- Retention walks the events by age; they arrive in that order.
CREATE INDEX events_age ON events USING brin (created_at);
