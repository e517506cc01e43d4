-- Statement by statement.
-- Counts the open logins of a project by OpenID Connect.
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_sessions_oidc_open ON auth_sessions (project_id, expires_at)
  WHERE flow = 'oidc' AND status = 'pending';
