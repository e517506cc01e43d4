-- Statement by statement.
-- Checked without blocking writes; the constraint was added as NOT VALID for that.
ALTER TABLE auth_sessions VALIDATE CONSTRAINT auth_sessions_flow_check;

-- Counts the open logins of a project by OpenID Connect.
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_sessions_oidc_open ON auth_sessions (project_id, expires_at)
  WHERE flow = 'oidc' AND status = 'pending';
