-- Statement by statement.

-- The transaction that wrote an event. The stream of events reads in this order and stops at the oldest transaction that
-- is still open, so that an event that commits late is not skipped. Null for events of earlier versions.
ALTER TABLE events ADD COLUMN IF NOT EXISTS xid xid8;
ALTER TABLE events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_stream ON events (project_id, xid, id) WHERE xid IS NOT NULL;

-- The example of an event, sent on request.
ALTER TABLE events ADD COLUMN IF NOT EXISTS test boolean NOT NULL DEFAULT false;
