-- Deliveries whose workflow is to be started or woken. Those that wait for a first attempt of the express lane are not
-- among them, and may be many: whoever looks for the next start must not walk through them.
CREATE INDEX deliveries_workflow_starts ON deliveries (endpoint_id, bulk, start_at)
  WHERE status = 'pending' AND start_at IS NOT NULL AND NOT (lane = 'express' AND attempts = 0 AND round <= served);
