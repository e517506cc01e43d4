-- Statement by statement.
-- What the dashboard reads: messages of a project by time, and subscribers by how their name, username or external id
-- begins. Indexes are built concurrently, because these tables can be large. A name comes from a messenger and may have any
-- length, so that only its beginning is indexed.
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_project ON messages (project_id, created_at) INCLUDE (status);
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscribers_by_name
  ON subscribers (project_id, lower(left(first_name, 64)) text_pattern_ops);
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscribers_by_username
  ON subscribers (project_id, lower(left(username, 64)) text_pattern_ops) WHERE username IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS subscribers_by_external_id
  ON subscribers (project_id, lower(external_id) text_pattern_ops) WHERE external_id IS NOT NULL;
