-- Attempts of executors that reach their workers through a message broker, for sqlite.

CREATE TABLE remote_attempt (
    attempt TEXT NOT NULL,
    executor TEXT NOT NULL,
    group_no INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    offered_at INTEGER NOT NULL,
    published_at INTEGER,
    worker TEXT,
    claimed_at INTEGER,
    entered_at INTEGER,
    cancel_reason TEXT,
    cancel_grace_s REAL,
    CONSTRAINT remote_attempt_pkey PRIMARY KEY (attempt),
    CONSTRAINT remote_attempt_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX remote_attempt_run_pk_idx ON remote_attempt (run_pk);
