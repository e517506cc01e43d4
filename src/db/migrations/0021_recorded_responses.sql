-- Responses recorded under an Idempotency-Key are encrypted: they can contain links and tokens of a login. `answer` holds
-- those of 0.1.0.
ALTER TABLE idempotency_keys ADD COLUMN answer_sealed text;

-- The request that created the secret, so that a request resumed after a crash does not rotate again.
ALTER TABLE endpoint_secrets ADD COLUMN request_id uuid;
