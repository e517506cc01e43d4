-- Deliveries of the express lane whose workflow is to be started and has nothing to send yet. By the time of the next
-- attempt: those that are past it wait for a slot and must not be looked through.
CREATE INDEX deliveries_handed_over ON deliveries (next_attempt_at)
  WHERE lane = 'express' AND attempts = 1 AND status = 'pending' AND start_at IS NOT NULL;
