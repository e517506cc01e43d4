-- OpenID Connect: clients with their secrets, signing keys, the records of the provider, and the logins that it started.

-- NOT VALID saves a scan under a lock: every row has passed the narrower check before it.
ALTER TABLE auth_sessions
  DROP CONSTRAINT IF EXISTS auth_sessions_flow_check,
  ADD CONSTRAINT auth_sessions_flow_check CHECK (flow IN ('session', 'static', 'oidc', 'push')) NOT VALID;

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

-- The sessions that the provider started, and what waits for each: an interaction of a browser or a device code.
CREATE TABLE oidc_logins (
  session_id uuid PRIMARY KEY REFERENCES auth_sessions ON DELETE CASCADE,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  client_id uuid REFERENCES oidc_clients ON DELETE SET NULL,
  interaction text,
  device_hash bytea,
  -- What the device shows, for the page.
  user_code text,
  -- The browser's address, of IPv6 the /64 network; erased with the person.
  address text,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (num_nonnulls(interaction, device_hash) = 1)
);
CREATE INDEX oidc_logins_address ON oidc_logins (project_id, address, created_at);
CREATE INDEX oidc_logins_device ON oidc_logins (device_hash) WHERE device_hash IS NOT NULL;
CREATE INDEX oidc_logins_client ON oidc_logins (client_id) WHERE client_id IS NOT NULL;
