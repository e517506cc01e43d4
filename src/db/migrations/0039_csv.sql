-- The export that a project runs. The lease ends with its process.
CREATE TABLE exports (
  project_id uuid PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
  token uuid NOT NULL,
  leased_until timestamptz NOT NULL
);

CREATE TABLE imports (
  id uuid PRIMARY KEY,
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  dry_run boolean NOT NULL,
  columns text[] NOT NULL,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed')),
  rows int NOT NULL DEFAULT 0,
  updated int NOT NULL DEFAULT 0,
  failed int NOT NULL DEFAULT 0,
  -- The first failed rows: [{row, code}].
  errors jsonb NOT NULL DEFAULT '[]',
  -- The number of the next row, from 1: those before it are done and deleted.
  next_row int NOT NULL DEFAULT 1,
  -- When the relay has to start the workflow, again if no worker has moved the time.
  start_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now(),
  started_at timestamptz,
  ended_at timestamptz
);
CREATE INDEX imports_due ON imports (start_at) WHERE status <> 'completed';
CREATE INDEX imports_open ON imports (project_id) WHERE status <> 'completed';
CREATE INDEX imports_age ON imports (created_at, id);

-- The rows of an import that are still to do: lists of cells, in the order of the import's columns.
CREATE TABLE import_chunks (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  first_row int NOT NULL,
  rows jsonb NOT NULL,
  PRIMARY KEY (import_id, first_row)
);
