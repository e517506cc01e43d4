-- Statement by statement.

-- The words of recent events, for the search in their bodies. A worker writes them a moment after the event: in the
-- event's own insert they cost several times as much as everything else.
CREATE TABLE IF NOT EXISTS event_words (
  event_id uuid PRIMARY KEY REFERENCES events ON DELETE CASCADE,
  project_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  words tsvector NOT NULL
);
-- The project is a key of its own, so that the words of other projects cost nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_words_search ON event_words USING gin ((ARRAY[project_id]), words);
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_words_newest ON event_words (project_id, created_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_words_by_age ON event_words (created_at, event_id);

-- The last event, by (created_at, id), whose words are written. One row.
CREATE TABLE IF NOT EXISTS event_words_progress (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  created_at timestamptz NOT NULL,
  event_id uuid NOT NULL
);
INSERT INTO event_words_progress (created_at, event_id)
VALUES (now() - interval '7 days', '00000000-0000-0000-0000-000000000000') ON CONFLICT DO NOTHING;

DROP INDEX CONCURRENTLY IF EXISTS events_search;
