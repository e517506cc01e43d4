-- Approvals: sessions of flow `push`, in which the bot asks known subscribers. The new check admits more than the old one
-- (the flow `oidc` too), so the rows that exist need no scan.
ALTER TABLE auth_sessions
  DROP CONSTRAINT auth_sessions_flow_check,
  ADD CONSTRAINT auth_sessions_flow_check CHECK (flow IN ('session', 'static', 'oidc', 'push')) NOT VALID,
  ADD COLUMN purpose text CHECK (purpose IN ('approval', 'login')),
  ADD COLUMN message text;

-- The subscribers who are asked; the first answer counts. Removing a subscriber removes their rows. The session refers to
-- a subscriber only after the answer: a reference of a pending session would make the removal wait for its decision.
CREATE TABLE auth_request_recipients (
  session_id uuid NOT NULL REFERENCES auth_sessions ON DELETE CASCADE,
  subscriber_id uuid NOT NULL REFERENCES subscribers ON DELETE CASCADE,
  created_at timestamptz NOT NULL,
  -- Why the messenger does not take the question; null while it may.
  refused text,
  PRIMARY KEY (session_id, subscriber_id)
);
-- The limits of a subscriber look at the last hour.
CREATE INDEX auth_request_recipients_subscriber ON auth_request_recipients (subscriber_id, created_at);

-- A question of a request does not come from an update of the user.
ALTER TABLE auth_prompts ALTER COLUMN update_id DROP NOT NULL;
-- Of several users who were asked, the one who answered. Null in answers of version 0.1.0.
ALTER TABLE auth_answers ADD COLUMN prompt_id bigint;
