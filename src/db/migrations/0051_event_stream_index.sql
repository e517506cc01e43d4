-- Statement by statement.

CREATE INDEX CONCURRENTLY IF NOT EXISTS events_stream ON events (project_id, xid, id) WHERE xid IS NOT NULL;
