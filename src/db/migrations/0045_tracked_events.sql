-- What the users of a project did, as it reported: one row for each subscriber of an event. The id is that of the row in
-- `events` that its deliveries belong to. Events of one request have the same `received_at`.
CREATE TABLE tracked_events (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  -- The project's own id, or the one that Herald chose.
  event_id text NOT NULL,
  name text NOT NULL,
  properties jsonb NOT NULL,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX tracked_events_page ON tracked_events (project_id, received_at DESC, id DESC);
CREATE INDEX tracked_events_name ON tracked_events (project_id, name, received_at DESC, id DESC);
CREATE INDEX tracked_events_subscriber ON tracked_events (subscriber_id, received_at DESC, id DESC);
-- For rules: whether an event of this name has happened since.
CREATE INDEX tracked_events_rule ON tracked_events (subscriber_id, name, received_at DESC);
CREATE INDEX tracked_events_age ON tracked_events (received_at);

-- Since when the times of a recurring message are as they are: occurrences from then on must not be lost, even if they come
-- before the schedule is written.
ALTER TABLE recurring ADD COLUMN planned_at timestamptz NOT NULL DEFAULT now();
