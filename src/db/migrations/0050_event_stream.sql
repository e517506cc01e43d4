-- The transaction that wrote an event. The stream of events reads in this order and stops at the oldest transaction that
-- is still open, so that an event that commits late is not skipped. Null for events of earlier versions.
ALTER TABLE events ADD COLUMN xid xid8;
ALTER TABLE events ALTER COLUMN xid SET DEFAULT pg_current_xact_id();

-- The example of an event, sent on request.
ALTER TABLE events ADD COLUMN test boolean NOT NULL DEFAULT false;
