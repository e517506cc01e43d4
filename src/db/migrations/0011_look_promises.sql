-- A lane that has its hands full says until when it will look for new deliveries by itself: whoever writes one meanwhile
-- need not wake it, and a NOTIFY in every commit of a flood would make those commits one after another. Unlogged: after
-- a crash of the database nobody has promised anything.
CREATE UNLOGGED TABLE look_promises (
  lane text PRIMARY KEY,
  until timestamptz NOT NULL
);
