-- Opens login sessions of one project, in the order of `asked`, in one round trip. The project's row is locked first,
-- and each statement of a function sees what was committed before it: so the limits are exact, whoever else asks at
-- the same moment, and the lock is held for no longer than the work takes. What is refused uses up no number. No two
-- of `asked` come from the same address.
CREATE FUNCTION open_sessions(
  project uuid,
  asked json,
  billing_blocked boolean,
  default_per_hour int,
  default_per_address int,
  ttl_seconds int
) RETURNS TABLE (refusal text, wait_seconds float8) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  ground projects;
  per_hour int;
  per_address int;
  -- One moment for all: of two that are asked for together, the second cannot fit where the first did not.
  moment timestamptz;
BEGIN
  SELECT * INTO STRICT ground FROM projects WHERE id = project FOR NO KEY UPDATE;
  moment := clock_timestamp();
  per_hour := coalesce(ground.sessions_per_hour, default_per_hour);
  per_address := coalesce(ground.sessions_per_address, default_per_address);
  RETURN QUERY
  WITH item AS (
    SELECT s.*, row_number() OVER () AS place
    FROM json_to_recordset(asked) AS s (id uuid, state text, redirect_uri text, client_ip text, user_agent text,
      code_challenge text, start_hash text, start_sealed text, hosted_hash text, match_code text, traceparent text,
      starts_itself boolean)
  ), judged AS (
    SELECT item.*,
      -- Exactly equal, character for character: nothing is normalised that a browser might read differently.
      CASE WHEN redirect_uri IS NOT NULL AND redirect_uri <> ALL (ground.redirect_urls)
             AND redirect_uri IS DISTINCT FROM ground.callback_url THEN 'invalid_url'
           WHEN billing_blocked THEN 'billing_blocked' END AS fault,
      CASE WHEN client_ip IS NOT NULL THEN (
        SELECT extract(epoch FROM created_at + interval '1 hour' - moment)::float8 FROM auth_sessions a
        WHERE a.project_id = project AND a.client_ip = item.client_ip AND created_at > moment - interval '1 hour'
        ORDER BY created_at DESC OFFSET per_address - 1 LIMIT 1) END AS address_wait
    FROM item
  ), numbered AS (
    SELECT judged.*, (ground.session_counter + count(*) FILTER (WHERE fault IS NULL AND address_wait IS NULL)
      OVER (ORDER BY place))::int AS number
    FROM judged
  ), windowed AS MATERIALIZED (
    SELECT numbered.*, CASE
      WHEN fault IS NOT NULL THEN NULL
      WHEN address_wait IS NOT NULL THEN address_wait
      -- It fits when the one that is the whole limit back has left the hour. That one may be opened right here.
      WHEN number - per_hour > ground.session_counter THEN 3600
      WHEN number - per_hour > 0 THEN (
        SELECT greatest(0, extract(epoch FROM created_at + interval '1 hour' - moment))::float8
        FROM auth_sessions a WHERE a.project_id = project AND a.number = numbered.number - per_hour)
      END AS wait
    FROM numbered
  ), opened AS (
    INSERT INTO auth_sessions (id, project_id, flow, number, state, redirect_uri, client_ip, user_agent, code_challenge,
      start_hash, start_sealed, hosted_hash, match_code, traceparent, created_at, expires_at, start_leased_until)
    SELECT id, project, 'session', number, state, redirect_uri, client_ip, user_agent, code_challenge,
      decode(start_hash, 'hex'), start_sealed, decode(hosted_hash, 'hex'), match_code, traceparent, moment,
      moment + make_interval(secs => ttl_seconds),
      -- Whoever starts the workflow itself gets a lease, so that the relay does not race it.
      CASE WHEN starts_itself THEN moment + interval '5 seconds' END
    FROM windowed WHERE fault IS NULL AND coalesce(wait, 0) = 0 ORDER BY place
    RETURNING number
  ), counted AS (
    UPDATE projects SET session_counter = greatest(session_counter, (SELECT max(number) FROM opened)) WHERE id = project
  )
  SELECT CASE WHEN wait > 0 THEN 'rate_limit_auth_sessions' ELSE fault END, wait FROM windowed ORDER BY place;
END $$;

-- A session without a code need not stand in the index of codes.
ALTER TABLE auth_sessions DROP CONSTRAINT auth_sessions_code_hash_key;
CREATE UNIQUE INDEX auth_sessions_code ON auth_sessions (code_hash) WHERE code_hash IS NOT NULL;
