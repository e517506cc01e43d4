-- Deliveries that wait for a start, a signal or a slot, and those whose attempt is in flight. A table of its own: claims
-- leave dead index entries behind, and in `deliveries` they would stay until a vacuum of the whole table. A row exists
-- only while there is something to do; a delivery that waits for its next scheduled attempt has none.
CREATE TABLE delivery_queue (
  delivery_id uuid PRIMARY KEY REFERENCES deliveries ON DELETE CASCADE,
  endpoint_id uuid NOT NULL,
  project_id uuid NOT NULL,
  -- 0: a person asked for it, 1: ordinary, 2: one event of a broadcast.
  priority smallint NOT NULL DEFAULT 1,
  -- Since when it is due. Leases do not move it.
  due_at timestamptz NOT NULL DEFAULT now(),
  -- The first attempt of a delivery without a workflow: only these can take the express lane.
  is_first boolean NOT NULL,
  -- An attempt follows, which counts towards the endpoint's concurrency. False: the workflow is only started or signalled.
  needs_slot boolean NOT NULL DEFAULT true,
  -- Null while it waits. The relay holds it while it starts the workflow, a lane while its attempt is in flight.
  holder text CHECK (holder IN ('relay', 'workflow', 'express')),
  claimed_at timestamptz,
  lease_until timestamptz
) WITH (
  fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX delivery_queue_waiting ON delivery_queue (is_first, endpoint_id, priority, due_at)
  WHERE holder IS NULL AND needs_slot;
CREATE INDEX delivery_queue_held ON delivery_queue (endpoint_id, lease_until) WHERE holder IS NOT NULL;
CREATE INDEX delivery_queue_slotless ON delivery_queue (due_at) WHERE holder IS NULL AND NOT needs_slot;

-- How many attempts may be in flight; halved after a timeout, doubled after a fast success, 20 at most.
ALTER TABLE endpoints ADD COLUMN concurrency int NOT NULL DEFAULT 20;
-- When every slot was last seen taken by an attempt of more than a second: what waits then waits for the receiver.
ALTER TABLE endpoints ADD COLUMN full_at timestamptz NOT NULL DEFAULT '-infinity';
ALTER TABLE endpoints DROP CONSTRAINT endpoints_delivery_lane_check;
ALTER TABLE endpoints ADD CONSTRAINT endpoints_delivery_lane_check
  CHECK (delivery_lane IN ('workflow', 'express', 'auto')) NOT VALID;

-- Null until the claim has decided.
ALTER TABLE deliveries ALTER COLUMN lane DROP NOT NULL, ALTER COLUMN lane DROP DEFAULT;
-- A process of 0.1.0 copies the endpoint's lane, which can be `auto` now.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_lane_check;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_lane_check CHECK (lane IN ('workflow', 'express', 'auto')) NOT VALID;
-- Room for updates on the same page, which then touch no index.
ALTER TABLE deliveries SET (fillfactor = 80);

-- Claims no longer read these. `start_at`, `slot_until`, the lease columns and `look_promises` are still written by
-- version 0.1.0 and go with the next release; until then its rows are moved into the queue (webhooks/queries/adopt.ts).
DROP INDEX deliveries_express;
DROP INDEX deliveries_workflow_starts;
DROP INDEX deliveries_handed_over;
DROP INDEX deliveries_slots;
