-- From schema 0031, which development versions before revision 1 had, to schema 0034, for postgresql.

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

-- The epoch of an account begins at a random number, for postgresql. Difference: sequences never give a key again, so no table is made anew.

ALTER TABLE account ALTER COLUMN epoch TYPE BIGINT;
ALTER TABLE account ALTER COLUMN epoch DROP DEFAULT;

UPDATE account SET epoch = floor(random() * 4611686018427387903)::bigint;

-- The queues that workers of the CeleryExecutor take messages from, for postgresql.

ALTER TABLE worker ADD COLUMN queues TEXT;
