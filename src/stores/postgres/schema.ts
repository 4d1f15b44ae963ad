/** What `commit_thread` raises for a call that is known with another input; its detail is the call's id. */
export const LEDGER_MISMATCH = 'AH001';
/** What it raises for an approval of another thread. */
export const FOREIGN_APPROVAL = 'AH002';
/** What `increment_counter` raises for a value that a number of JavaScript does not hold exactly. */
export const OUT_OF_RANGE = 'AH003';

const TABLES = `
  -- A thread is claimed before its first commit: until then its version is 0 and its state is missing.
  CREATE TABLE {schema}.threads (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    token bigint NOT NULL,
    holder text,
    expires_at double precision NOT NULL,
    version bigint NOT NULL DEFAULT 0,
    last_commit text,
    state text,
    message_count bigint NOT NULL DEFAULT 0,
    last_seq bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);

  CREATE TABLE {schema}.messages (
    thread text COLLATE "C" NOT NULL REFERENCES {schema}.threads (id) ON DELETE CASCADE,
    position bigint NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (thread, position)
  );

  CREATE TABLE {schema}.events (
    thread text COLLATE "C" NOT NULL REFERENCES {schema}.threads (id) ON DELETE CASCADE,
    seq bigint NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (thread, seq)
  );

  CREATE TABLE {schema}.ledger (
    thread text COLLATE "C" NOT NULL REFERENCES {schema}.threads (id) ON DELETE CASCADE,
    call_id text COLLATE "C" NOT NULL,
    input_digest text NOT NULL,
    status text NOT NULL,
    result text,
    late smallint NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (thread, call_id)
  );

  CREATE TABLE {schema}.approvals (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    thread text COLLATE "C" NOT NULL REFERENCES {schema}.threads (id) ON DELETE CASCADE,
    status text NOT NULL,
    json text NOT NULL
  );
  CREATE INDEX approvals_open ON {schema}.approvals (id) WHERE status = 'open';
  CREATE INDEX approvals_open_by_thread ON {schema}.approvals (thread, id) WHERE status = 'open';
  CREATE INDEX approvals_by_thread ON {schema}.approvals (thread);

  CREATE TABLE {schema}.memory (
    thread text COLLATE "C" NOT NULL REFERENCES {schema}.threads (id) ON DELETE CASCADE,
    policy text COLLATE "C" NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (thread, policy)
  );

  CREATE TABLE {schema}.artifacts (
    thread text COLLATE "C" NOT NULL REFERENCES {schema}.threads (id) ON DELETE CASCADE,
    id text COLLATE "C" NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (thread, id)
  );
`;

/**
 * A commit in one round trip. Says 'done', also when this very commit had been done before and only the answer was
 * lost; or what stood in its way, with nothing written. The first statement takes the lock of the thread, and all
 * others look at what is there after that.
 */
const COMMIT_FUNCTION = `
  CREATE OR REPLACE FUNCTION {schema}.commit_thread(
    p_thread text, p_token bigint, p_version bigint, p_commit text, p_state text,
    p_messages text[], p_seqs bigint[], p_events text[],
    p_calls text[], p_digests text[], p_statuses text[], p_results text[], p_lates smallint[],
    p_ats double precision[],
    p_approvals text[], p_approval_statuses text[], p_approval_jsons text[],
    p_policies text[], p_memories text[], p_artifacts text[], p_artifact_jsons text[]
  ) RETURNS text LANGUAGE plpgsql AS $commit$
  DECLARE
    v_before bigint;
    v_found {schema}.threads%ROWTYPE;
    v_call text;
    v_count bigint;
  BEGIN
    UPDATE {schema}.threads t
    SET version = t.version + 1, state = p_state, last_commit = p_commit,
      message_count = t.message_count + cardinality(p_messages),
      last_seq = coalesce(p_seqs[cardinality(p_seqs)], t.last_seq)
    WHERE t.id = p_thread AND t.token = p_token AND t.holder IS NOT NULL AND t.version = p_version
      AND coalesce(t.last_seq < p_seqs[1], true)
    RETURNING t.message_count - cardinality(p_messages) INTO v_before;
    IF NOT FOUND THEN
      SELECT t.* INTO v_found FROM {schema}.threads t WHERE t.id = p_thread;
      RETURN CASE
        WHEN v_found.last_commit = p_commit THEN 'done'
        WHEN v_found.token IS DISTINCT FROM p_token OR v_found.holder IS NULL THEN 'claim'
        WHEN v_found.version <> p_version THEN 'version'
        ELSE 'event'
      END;
    END IF;

    INSERT INTO {schema}.messages (thread, position, json)
    SELECT p_thread, v_before + m.place, m.json
    FROM unnest(p_messages) WITH ORDINALITY AS m (json, place);
    INSERT INTO {schema}.events (thread, seq, json)
    SELECT p_thread, e.seq, e.json FROM unnest(p_seqs, p_events) AS e (seq, json);

    IF cardinality(p_calls) > 0 THEN
      -- One look by key for each call: as a join it may be planned to read all that the thread ever called.
      SELECT n.call_id INTO v_call
      FROM unnest(p_calls, p_digests) AS n (call_id, digest)
      WHERE n.digest <> (
        SELECT l.input_digest FROM {schema}.ledger l
        WHERE l.thread = p_thread AND l.call_id = n.call_id
      ) LIMIT 1;
      IF FOUND THEN
        RAISE EXCEPTION 'the ledger knows this call with another input'
          USING ERRCODE = '${LEDGER_MISMATCH}', DETAIL = v_call;
      END IF;
      INSERT INTO {schema}.ledger AS l (thread, call_id, input_digest, status, result, late, at)
      SELECT p_thread, n.* FROM unnest(p_calls, p_digests, p_statuses, p_results, p_lates, p_ats) AS n
      ON CONFLICT (thread, call_id) DO UPDATE
        SET status = excluded.status, result = excluded.result, late = excluded.late, at = excluded.at
        WHERE l.status = 'intended';
    END IF;

    IF cardinality(p_approvals) > 0 THEN
      INSERT INTO {schema}.approvals AS a (id, thread, status, json)
      SELECT n.id, p_thread, n.status, n.json
      FROM unnest(p_approvals, p_approval_statuses, p_approval_jsons) AS n (id, status, json)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, json = excluded.json
        WHERE a.thread = excluded.thread;
      GET DIAGNOSTICS v_count = ROW_COUNT;
      IF v_count < cardinality(p_approvals) THEN
        RAISE EXCEPTION 'an approval id belongs to another thread'
          USING ERRCODE = '${FOREIGN_APPROVAL}';
      END IF;
    END IF;

    IF cardinality(p_policies) > 0 THEN
      INSERT INTO {schema}.memory (thread, policy, json)
      SELECT p_thread, n.* FROM unnest(p_policies, p_memories) AS n
      ON CONFLICT (thread, policy) DO UPDATE SET json = excluded.json;
    END IF;
    IF cardinality(p_artifacts) > 0 THEN
      INSERT INTO {schema}.artifacts (thread, id, json)
      SELECT p_thread, n.* FROM unnest(p_artifacts, p_artifact_jsons) AS n
      ON CONFLICT (thread, id) DO UPDATE SET json = excluded.json;
    END IF;
    RETURN 'done';
  END
  $commit$;
`;

const COUNTERS = `
  CREATE TABLE {schema}.counters (
    key text COLLATE "C" NOT NULL PRIMARY KEY,
    value bigint NOT NULL,
    expires_at double precision
  ) WITH (fillfactor = 50);
  CREATE INDEX counters_by_end ON {schema}.counters (expires_at) WHERE expires_at IS NOT NULL;

  -- Increments whose answer may have been lost: one that is sent again is found here. By the clock of the server.
  CREATE TABLE {schema}.increments (
    id text COLLATE "C" NOT NULL PRIMARY KEY,
    value bigint NOT NULL,
    kept_until double precision NOT NULL
  );
  CREATE INDEX increments_by_end ON {schema}.increments (kept_until);
`;

/**
 * An increment in one round trip. The row of the counter is locked first: the same increment, sent again while the
 * first is still under way, waits there, and then finds it done. Gives the new value; one above the highest allowed
 * was not kept. Each removes more of what ran out than it adds.
 */
const INCREMENT_FUNCTION = `
  CREATE FUNCTION {schema}.increment_counter(
    p_key text, p_by bigint, p_max bigint, p_ttl double precision,
    p_id text, p_keep double precision, p_now double precision
  ) RETURNS bigint LANGUAGE plpgsql AS $increment$
  DECLARE
    v_server double precision := extract(epoch FROM clock_timestamp()) * 1000;
    v_now double precision;
    v_found {schema}.counters%ROWTYPE;
    v_value bigint;
    v_is_new boolean := false;
  BEGIN
    LOOP
      SELECT c.* INTO v_found FROM {schema}.counters c WHERE c.key = p_key FOR UPDATE;
      EXIT WHEN FOUND;
      INSERT INTO {schema}.counters (key, value, expires_at)
      VALUES (p_key, 0, coalesce(p_now, v_server) + p_ttl) ON CONFLICT (key) DO NOTHING;
      v_is_new := FOUND;
    END LOOP;

    SELECT i.value INTO v_value FROM {schema}.increments i WHERE i.id = p_id;
    IF FOUND THEN RETURN v_value; END IF;

    -- It may have waited for its lock.
    v_server := extract(epoch FROM clock_timestamp()) * 1000;
    v_now := coalesce(p_now, v_server);
    IF v_found.expires_at <= v_now THEN
      v_found.value := 0;
      v_found.expires_at := v_now + p_ttl;
    END IF;
    v_value := v_found.value + p_by;
    IF abs(v_value) > ${Number.MAX_SAFE_INTEGER} THEN
      RAISE EXCEPTION 'the value is out of range' USING ERRCODE = '${OUT_OF_RANGE}';
    END IF;
    IF v_value > p_max THEN
      IF v_is_new THEN DELETE FROM {schema}.counters c WHERE c.key = p_key; END IF;
      RETURN v_value;
    END IF;

    UPDATE {schema}.counters c SET value = v_value, expires_at = v_found.expires_at
    WHERE c.key = p_key;
    INSERT INTO {schema}.increments (id, value, kept_until)
    VALUES (p_id, v_value, v_server + p_keep);
    DELETE FROM {schema}.increments WHERE id IN (
      SELECT i.id FROM {schema}.increments i WHERE i.kept_until <= v_server
      ORDER BY i.kept_until LIMIT 5 FOR UPDATE SKIP LOCKED);
    IF v_is_new THEN
      DELETE FROM {schema}.counters WHERE key IN (
        SELECT c.key FROM {schema}.counters c WHERE c.expires_at <= v_now AND c.key <> p_key
        ORDER BY c.expires_at LIMIT 20 FOR UPDATE SKIP LOCKED);
    END IF;
    RETURN v_value;
  END
  $increment$;
`;

/**
 * The tables, by version: the first list makes version 1, and so on. Only ever appended to, as databases of every
 * earlier version are out there, and processes of the version before go on running while one of this version begins.
 *
 * JSON is kept as text: the server's own types for it refuse NUL, change numbers and reorder keys. Rows are found by
 * key only, and keys are compared by their bytes, whatever the language of the database is.
 *
 * The name of the schema goes where `{schema}` stands.
 */
export const MIGRATIONS: readonly string[] = [
  TABLES + COMMIT_FUNCTION,
  // In version 1 the ledger was compared by a join.
  COMMIT_FUNCTION,
  COUNTERS + INCREMENT_FUNCTION,
];
