-- Statement by statement.
-- Sessions of an account, of a key, and by the id that lists of them show.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS dashboard_sessions_id ON dashboard_sessions (id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS dashboard_sessions_account ON dashboard_sessions (account_id)
  WHERE account_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS dashboard_sessions_key ON dashboard_sessions (key_id) WHERE key_id IS NOT NULL;
