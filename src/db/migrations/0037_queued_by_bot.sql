-- Statement by statement.
-- A broadcast is sent by each bot separately, so that one bot that waits does not hold up the other.
CREATE INDEX CONCURRENTLY IF NOT EXISTS broadcast_recipients_by_bot
  ON broadcast_recipients (broadcast_id, channel, bot, id) WHERE status = 'queued';
DROP INDEX CONCURRENTLY IF EXISTS broadcast_recipients_queued;
