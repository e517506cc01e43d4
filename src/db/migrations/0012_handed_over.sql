-- Deliveries of the express lane whose workflow is to be started and has nothing to send yet.
CREATE INDEX deliveries_handed_over ON deliveries (start_at)
  WHERE lane = 'express' AND attempts = 1 AND status = 'pending' AND start_at IS NOT NULL;
