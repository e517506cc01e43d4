-- The express lane: the relay makes the first attempt itself, under a lease.

-- Null: the lane of the installation (HERALD_DELIVERY_LANE).
ALTER TABLE endpoints ADD COLUMN delivery_lane text CHECK (delivery_lane IN ('workflow', 'express'));

-- Who makes the first attempt of an express delivery, and until when nobody else may.
ALTER TABLE deliveries ADD COLUMN lease_token uuid, ADD COLUMN lease_until timestamptz;

CREATE INDEX deliveries_express ON deliveries (endpoint_id, bulk, start_at)
  WHERE lane = 'express' AND attempts = 0 AND status = 'pending' AND start_at IS NOT NULL;
CREATE INDEX deliveries_leases ON deliveries (lease_until) WHERE lease_token IS NOT NULL;

-- A first attempt that the receiver refused ends the delivery; its workflow is started to show that in the UI.
DROP INDEX deliveries_to_stop;
CREATE INDEX deliveries_to_tell ON deliveries (start_at) WHERE status IN ('cancelled', 'failed') AND start_at IS NOT NULL;
