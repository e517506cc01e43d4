-- What operators look at.

-- Updates that were set aside are few among very many; metrics and `herald doctor` count them.
CREATE INDEX bot_updates_set_aside ON bot_updates (set_aside_at) WHERE set_aside_at IS NOT NULL;

-- The W3C trace context of what caused the event, only while tracing is on: the attempts join its trace.
ALTER TABLE events ADD COLUMN traceparent text;
