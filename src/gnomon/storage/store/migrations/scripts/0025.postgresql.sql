-- Attempts of executors that reach their workers through a message broker, for postgresql.

CREATE TABLE remote_attempt (
    attempt TEXT NOT NULL,
    executor TEXT NOT NULL,
    group_no SMALLINT NOT NULL,
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    offered_at BIGINT NOT NULL,
    published_at BIGINT,
    worker TEXT,
    claimed_at BIGINT,
    entered_at BIGINT,
    cancel_reason TEXT,
    cancel_grace_s DOUBLE PRECISION,
    CONSTRAINT remote_attempt_pkey PRIMARY KEY (attempt),
    CONSTRAINT remote_attempt_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE
)
;

CREATE INDEX remote_attempt_run_pk_idx ON remote_attempt (run_pk);
