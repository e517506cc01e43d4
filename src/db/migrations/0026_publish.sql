-- Scopes of API keys. The default is every scope but `publish`, which only the CLI grants.
ALTER TABLE api_keys ADD COLUMN scopes text[] NOT NULL
  DEFAULT '{read,send,auth,helpdesk,export,admin,manage}';

-- Ids that publishers gave their events, kept for 30 days: the same id again is a duplicate.
CREATE TABLE published_ids (
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- Sorted by bytes, so that requests with overlapping ids insert them in one order.
  id text COLLATE "C" NOT NULL,
  event_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (project_id, id)
);
CREATE INDEX published_ids_age ON published_ids (created_at);
