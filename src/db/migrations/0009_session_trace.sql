-- As with events: the trace context of the request that made the session, only while tracing is on.
ALTER TABLE auth_sessions ADD COLUMN traceparent text;
