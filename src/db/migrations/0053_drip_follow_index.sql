-- Statement by statement.

CREATE INDEX CONCURRENTLY IF NOT EXISTS drip_chains_follow ON drip_chains (follow_at) WHERE follow_at IS NOT NULL;
-- What goes on when a chain is active again, the longest due first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS drip_enrolments_parked ON drip_enrolments (drip_id, next_at, id) WHERE parked;
