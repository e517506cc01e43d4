-- Tags and permissions that a project defines, beside those that came with a subscriber. `defined`: the project created
-- it or a link names it, so it stays when no subscriber has it. Permissions have titles for the Mini App.
ALTER TABLE project_labels
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN defined boolean NOT NULL DEFAULT false,
  ADD COLUMN title_en text,
  ADD COLUMN title_ru text,
  ADD COLUMN granted_by_default boolean NOT NULL DEFAULT false;

-- Links that subscribe and give tags, permissions and an external_id.
CREATE TABLE subscribe_links (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  -- Found by its hash; its value is kept sealed, because lists show the link.
  token_hash bytea NOT NULL UNIQUE,
  token_sealed text NOT NULL,
  name text,
  tags text[] NOT NULL,
  permissions text[] NOT NULL,
  external_id text,
  expires_at timestamptz,
  max_uses int CHECK (max_uses > 0),
  uses int NOT NULL DEFAULT 0,
  last_used_at timestamptz,
  -- The bot's update that used it last: one that is handled again after a crash is not a second use.
  last_update_id bigint,
  created_at timestamptz NOT NULL
);
CREATE INDEX subscribe_links_page ON subscribe_links (project_id, created_at DESC, id DESC);
CREATE INDEX subscribe_links_by_age ON subscribe_links (created_at, id);
-- The live links of a project are counted by it.
CREATE INDEX subscribe_links_usable ON subscribe_links (project_id, expires_at) WHERE max_uses IS NULL OR uses < max_uses;
