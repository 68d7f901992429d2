-- Messages that cannot be read or applied, and DAGs and groups that are set aside, for sqlite.

CREATE TABLE quarantine (
    quarantine_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    group_no SMALLINT NOT NULL,
    "key" TEXT,
    body BLOB NOT NULL,
    dag_pk INTEGER,
    dag_id TEXT,
    run_pk INTEGER,
    run_id TEXT,
    task_id TEXT,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    attempt TEXT,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    error_class TEXT NOT NULL,
    returns_with_dag BOOLEAN DEFAULT '0' NOT NULL,
    CONSTRAINT quarantine_group_check CHECK (group_no BETWEEN 0 AND 63)
);

CREATE UNIQUE INDEX quarantine_key ON quarantine ("key") WHERE "key" IS NOT NULL;
CREATE INDEX quarantine_dag ON quarantine (dag_pk);
CREATE INDEX quarantine_at ON quarantine (at);
