/**
 * The tables, by version: the first list makes version 1, and so on. Only ever appended to, as databases of
 * every earlier version are out there.
 *
 * Rows are found by key only. What grows with a thread is clustered by thread and number, so a commit
 * touches the last pages of its thread and a read walks one range.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE threads (
    id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    state TEXT NOT NULL,
    message_count INTEGER NOT NULL,
    last_seq INTEGER NOT NULL
  ) STRICT;

  -- Kept apart from threads: a thread is claimed before its first commit.
  CREATE TABLE leases (
    thread TEXT NOT NULL PRIMARY KEY,
    token INTEGER NOT NULL,
    holder TEXT,
    expires_at REAL NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE messages (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (thread, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (thread, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE ledger (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    call_id TEXT NOT NULL,
    input_digest TEXT NOT NULL,
    status TEXT NOT NULL,
    result TEXT,
    late INTEGER NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (thread, call_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE approvals (
    id TEXT NOT NULL PRIMARY KEY,
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    status TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX approvals_open ON approvals (id) WHERE status = 'open';
  CREATE INDEX approvals_open_by_thread ON approvals (thread, id) WHERE status = 'open';
  CREATE INDEX approvals_by_thread ON approvals (thread);

  CREATE TABLE memory (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    policy TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (thread, policy)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- With row ids: a row is far longer than a page, which a table clustered by its key handles badly.
  CREATE TABLE artifacts (
    thread TEXT NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (thread, id)
  ) STRICT;
  `,
  `
  CREATE TABLE counters (
    key TEXT NOT NULL PRIMARY KEY,
    value INTEGER NOT NULL,
    expires_at REAL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX counters_by_end ON counters (expires_at) WHERE expires_at IS NOT NULL;
  `,
];

/** Marks a database as one of ours in its file header: 'agth'. */
export const APPLICATION_ID = 0x61677468;
