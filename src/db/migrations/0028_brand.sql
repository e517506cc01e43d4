-- How a project's hosted login page looks. A table of its own: `projects` is read whole by prepared statements of 0.1.0,
-- which would fail after a column was added.
CREATE TABLE project_brands (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  color text CHECK (color ~ '^#[0-9a-f]{6}$'),
  privacy_url text,
  -- Where the logo was fetched from.
  logo_url text,
  -- Part of the logo's path; a new logo has a new one, so that browsers can cache it.
  logo_id uuid UNIQUE,
  logo_type text CHECK (logo_type IN ('image/png', 'image/webp')),
  logo bytea CHECK (octet_length(logo) <= 102400),
  CHECK (num_nulls(logo_url, logo_id, logo_type, logo) IN (0, 4))
);
-- Images are compressed already.
ALTER TABLE project_brands ALTER COLUMN logo SET STORAGE EXTERNAL;
