-- Headers that the project wants on every attempt, for example an Authorization of its own: one sealed JSON object, because
-- the values are secrets. Null: none.
ALTER TABLE endpoints ADD COLUMN headers_sealed text;
