-- Media that was uploaded to a messenger, by bot and content, so that it is uploaded once and not for each recipient.
CREATE TABLE media_uploads (
  channel text NOT NULL,
  bot_id text NOT NULL,
  -- A hash of project, URL and the version that its server stated, or an id of the request if it stated none.
  content_key text NOT NULL,
  -- Telegram's file_id, MAX's token.
  reference text NOT NULL,
  type text NOT NULL CHECK (type IN ('photo', 'video', 'document')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel, bot_id, content_key)
);
CREATE INDEX media_uploads_age ON media_uploads (created_at);

-- The message with the media, where the text follows as a second one: what was sent is not sent again.
ALTER TABLE messages ADD COLUMN media_message_id text;
ALTER TABLE broadcast_recipients ADD COLUMN media_message_id text;
