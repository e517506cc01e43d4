-- Settings of a project that came after 0.1.0. A table of its own: `projects` is read whole by prepared statements of 0.1.0,
-- which would fail after a column was added.
CREATE TABLE project_settings (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  -- An IANA name.
  timezone text NOT NULL DEFAULT 'UTC'
);

ALTER TABLE subscribers
  -- An IANA name; null: the project's.
  ADD COLUMN timezone text,
  -- Flat: texts, numbers and booleans.
  ADD COLUMN properties jsonb NOT NULL DEFAULT '{}';
