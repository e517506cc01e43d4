-- No release has ever read or written it.
DROP TABLE settings;
