-- A batch is a job like a broadcast, whose recipients have messages of their own.
ALTER TABLE broadcasts ADD COLUMN kind text NOT NULL DEFAULT 'broadcast' CHECK (kind IN ('broadcast', 'batch'));

-- Of a batch: the message, the place in the request and the caller's own reference.
ALTER TABLE broadcast_recipients ADD COLUMN content jsonb;
ALTER TABLE broadcast_recipients ADD COLUMN position int;
ALTER TABLE broadcast_recipients ADD COLUMN ref text;
