-- Messages that cannot be read or applied, and DAGs and groups that are set aside, for postgresql.

CREATE TABLE quarantine (
    quarantine_pk BIGSERIAL NOT NULL,
    kind TEXT NOT NULL,
    group_no SMALLINT NOT NULL,
    key TEXT,
    body BYTEA NOT NULL,
    dag_pk BIGINT,
    dag_id TEXT,
    run_pk BIGINT,
    run_id TEXT,
    task_id TEXT,
    task_no BIGINT,
    map_index BIGINT DEFAULT '-1' NOT NULL,
    attempt TEXT,
    at BIGINT NOT NULL,
    reason TEXT NOT NULL,
    error_class TEXT NOT NULL,
    returns_with_dag BOOLEAN DEFAULT 'false' NOT NULL,
    CONSTRAINT quarantine_pkey PRIMARY KEY (quarantine_pk),
    CONSTRAINT quarantine_group_check CHECK (group_no BETWEEN 0 AND 63)
);

CREATE UNIQUE INDEX quarantine_key ON quarantine (key) WHERE key IS NOT NULL;
CREATE INDEX quarantine_dag ON quarantine (dag_pk);
CREATE INDEX quarantine_at ON quarantine (at);
