-- How an endpoint fares, counted with each result, so that nothing has to be computed from the log.

-- Results of one endpoint in one hour (UTC) of their attempts. Written in the transaction of the result, so that the counts
-- agree with the log after any crash; kept for eight days.
CREATE TABLE endpoint_hours (
  endpoint_id uuid NOT NULL REFERENCES endpoints ON DELETE CASCADE,
  hour timestamptz NOT NULL,
  succeeded int NOT NULL,
  failed int NOT NULL,
  -- Attempts by duration; the bounds are in webhooks/latency.ts.
  latency int[] NOT NULL,
  last_at timestamptz NOT NULL,
  PRIMARY KEY (endpoint_id, hour)
  -- Room for updates on the same page: the row of the present hour changes with every result.
) WITH (fillfactor = 50);
CREATE INDEX endpoint_hours_age ON endpoint_hours (hour);

-- When the process of the attempt was found dead. A 2xx that arrives later replaces the result, and its count.
ALTER TABLE attempts ADD COLUMN lost_at timestamptz;

-- What the project was last told about the endpoint by an event: that it is failing, or that Herald has disabled it.
ALTER TABLE endpoints ADD COLUMN alert text CHECK (alert IN ('failing', 'disabled'));
-- Changes that happened with a result and whose events are yet to be emitted, oldest first.
ALTER TABLE endpoints ADD COLUMN unannounced jsonb NOT NULL DEFAULT '[]';

-- When the project was told that its credits are used up.
ALTER TABLE credit_months ADD COLUMN exhausted_at timestamptz;
