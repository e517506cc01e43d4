-- Enrolments that follow a change of their chain are woken one after the other: the next one at this time. A process that
-- goes on with the change continues from there, or from the batch before if a crash came between a batch and this column.
ALTER TABLE drip_chains ADD COLUMN follow_wake_at timestamptz;
