-- Without statistics of the column of 0048 the planner would expect many rows, and read all events of a project instead.
ANALYZE events (subscriber_id);

-- Ids in the audit log have one spelling, so that the removal of a person finds them.
UPDATE audit_entries SET target_id = lower(target_id)
  WHERE target_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' AND target_id <> lower(target_id);
