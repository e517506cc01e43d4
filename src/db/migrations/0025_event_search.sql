-- Statement by statement.

-- Search for text in the bodies of events: their words, with everything between words as one kind of separator, and the
-- project as a key of its own, so that the words of other projects cost nothing.
CREATE INDEX CONCURRENTLY IF NOT EXISTS events_search ON events USING gin ((ARRAY[project_id]),
  to_tsvector('simple', translate(body, '-_@./:+%&=?#"{}[],\', '                    ')));
