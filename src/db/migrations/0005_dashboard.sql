-- Sign-ins to the dashboard. The cookie's value is kept as its hash; a revoked key ends its sessions at once.
CREATE TABLE dashboard_sessions (
  hash bytea PRIMARY KEY,
  key_id uuid NOT NULL REFERENCES api_keys ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX dashboard_sessions_age ON dashboard_sessions (expires_at);
