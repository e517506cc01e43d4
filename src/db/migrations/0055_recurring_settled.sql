-- From now on `planned_at` moves with the occurrences that are settled, and one after it that has no run is recorded as
-- missed. Runs of older occurrences may have been removed by retention.
UPDATE recurring SET planned_at = now() - interval '1 hour' WHERE planned_at < now() - interval '1 hour';
