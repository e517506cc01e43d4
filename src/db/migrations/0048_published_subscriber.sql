-- Statement by statement.

-- The subscriber of a published event whose body does not have their id as the index `events_subscriber` expects it: in
-- canonical form, as the first `subscriber_id`. A publisher chooses the order of the fields, and the case of a UUID.
ALTER TABLE events ADD COLUMN IF NOT EXISTS subscriber_id uuid;
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_published_subscriber ON events (subscriber_id)
  WHERE subscriber_id IS NOT NULL;

-- Plans for a person are found by their external_id, too.
CREATE INDEX CONCURRENTLY IF NOT EXISTS scheduled_external ON scheduled (project_id, external_id)
  WHERE external_id IS NOT NULL;

-- `endpoints.failing_delivery` and `endpoints.failing_several` are written by version 0.1.0 only, and can be dropped after it.
