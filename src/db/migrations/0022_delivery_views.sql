-- What the log tells about a delivery besides its status.

-- The example of an event, sent on request: marked in its headers, so that no receiver takes it for a real event.
ALTER TABLE deliveries ADD COLUMN test boolean NOT NULL DEFAULT false;
-- Why Herald cancelled it; null where a person did.
ALTER TABLE deliveries ADD COLUMN cancel_reason text CHECK (cancel_reason IN ('endpoint_removed', 'parked_too_long'));

-- The request as it was sent, with the values of the project's own headers masked. Null without a result, and where the
-- process of the attempt has died.
ALTER TABLE attempts ADD COLUMN request_headers jsonb;
