-- Templates: one text in up to two languages, with placeholders.
CREATE TABLE templates (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects ON DELETE CASCADE,
  key text NOT NULL,
  name text,
  purpose text NOT NULL CHECK (purpose IN ('message', 'reply')),
  format text NOT NULL CHECK (format IN ('plain', 'markdown', 'html')),
  default_lang text NOT NULL CHECK (default_lang IN ('en', 'ru')),
  -- By language: text, buttons, media.
  variants jsonb NOT NULL,
  version int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, key)
);
CREATE INDEX templates_page ON templates (project_id, created_at DESC, id DESC);
