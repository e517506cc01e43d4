-- Statement by statement.

-- Search for text in the bodies of events: their words, with everything between words as one kind of separator, and the
-- project as a key of its own, so that the words of other projects cost nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_search ON events USING gin ((ARRAY[project_id]),
  to_tsvector('simple', translate(body, '-_@./:+%&=?#"{}[],\', '                    ')));

-- Those that were cancelled are few among many; the log is read by status.
CREATE INDEX CONCURRENTLY IF NOT EXISTS deliveries_cancelled ON deliveries (endpoint_id, created_at DESC, id DESC)
  WHERE status = 'cancelled';

-- The few endpoints whose project is to be told something.
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoints_unannounced ON endpoints (id) WHERE unannounced <> '[]';
CREATE INDEX CONCURRENTLY IF NOT EXISTS endpoints_failing ON endpoints (failing_since) WHERE failing_since IS NOT NULL;
