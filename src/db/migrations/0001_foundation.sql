-- Projects, their keys, and the counters of request limits.

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
  sessions_per_hour int CHECK (sessions_per_hour > 0),
  sessions_per_address int CHECK (sessions_per_address > 0),
  purchased_credits int NOT NULL DEFAULT 0 CHECK (purchased_credits >= 0),
  grace_started_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

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
  revoked_at timestamptz
);
CREATE INDEX api_keys_project ON api_keys (project_id, created_at DESC);

-- Shape given by rate-limiter-flexible. Unlogged: counters of a minute need not survive a crash of the database.
CREATE UNLOGGED TABLE request_counters (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);

-- Who did what by CLI or dashboard, and facts that must be there once (the demo project's key, the key check).
CREATE TABLE settings (
  name text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);
