-- Statement by statement.
-- An end for every table that grows, and for everything that is held about a removed person. Indexes are built
-- concurrently, because these tables can be large.

-- Retention walks these by age, in batches of (time, id). The BRIN indexes could not return rows in order.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_by_age ON events (created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS messages_by_age ON messages (created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_sessions_by_age ON auth_sessions (created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS credit_ledger_by_age ON credit_ledger (charged_at, session_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS otp_codes_by_age ON otp_codes (created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_openings_by_age ON auth_openings (opened_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS broadcasts_by_end ON broadcasts (ended_at) WHERE ended_at IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS events_age;
DROP INDEX CONCURRENTLY IF EXISTS messages_age;

-- Removing a subscriber finds everything of theirs by these.
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_sessions_user ON auth_sessions (project_id, channel, platform_user_id)
  WHERE platform_user_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS auth_sessions_subscriber ON auth_sessions (subscriber_id)
  WHERE subscriber_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS broadcast_recipients_subscriber ON broadcast_recipients (subscriber_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS button_clicks_message ON button_clicks (delivery_id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_request ON idempotency_keys (request_id);
-- The person of an event is read from its body, so that events of version 0.1.0 are found as well. An escaped quote
-- cannot match: the pattern finds a field, never a part of a text.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_subscriber
  ON events (substring(body FROM '"subscriber_id":"([^"\\]+)"'));

-- Events of removed people that were not erased at once, because a delivery of theirs was open. `check_at` is moved on
-- while it still is.
CREATE TABLE IF NOT EXISTS event_erasures (
  event_id uuid PRIMARY KEY REFERENCES events ON DELETE CASCADE,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  check_at timestamptz NOT NULL
);
CREATE INDEX CONCURRENTLY IF NOT EXISTS event_erasures_due ON event_erasures (check_at);

-- When the session reconciler last asked for the workflow of an overdue session.
ALTER TABLE auth_sessions ADD COLUMN IF NOT EXISTS reconciled_at timestamptz;
