-- A change of a chain that its enrolments follow in batches: they are cancelled, moved to a version, or go on.
ALTER TABLE drip_chains
  -- When the relay goes on with it, in case the process that began has died; null if there is nothing left to do.
  ADD COLUMN follow_at timestamptz,
  -- Active enrolments of earlier versions move to this one.
  ADD COLUMN migrate_version int;
