-- What the bot adds, in the project's own words, when somebody has logged in or subscribed.
ALTER TABLE projects
  ADD COLUMN welcome_en text CHECK (length(welcome_en) BETWEEN 1 AND 500),
  ADD COLUMN welcome_ru text CHECK (length(welcome_ru) BETWEEN 1 AND 500);
