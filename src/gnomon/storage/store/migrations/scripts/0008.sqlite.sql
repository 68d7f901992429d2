-- Callbacks that runs owe, and their deadlines (docs/how-to/callbacks-and-alerts.md), for sqlite.

CREATE TABLE run_callback (
    id TEXT NOT NULL,
    run_pk INTEGER NOT NULL,
    dag_pk INTEGER NOT NULL,
    request TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL,
    tries SMALLINT NOT NULL DEFAULT 0,
    attempt TEXT,
    worker TEXT,
    started_at INTEGER,
    ended_at INTEGER,
    reason TEXT,
    log TEXT,
    CONSTRAINT run_callback_pkey PRIMARY KEY (id),
    CONSTRAINT run_callback_state_check CHECK (state IN ('queued', 'running', 'success', 'failed')),
    CONSTRAINT run_callback_ended_check CHECK ((ended_at IS NOT NULL) = (state IN ('success', 'failed')))
);

CREATE INDEX run_callback_run ON run_callback (run_pk);

CREATE INDEX run_callback_unfinished ON run_callback (dag_pk) WHERE ended_at IS NULL;

CREATE TABLE run_deadline (
    run_pk INTEGER NOT NULL,
    deadline_no SMALLINT NOT NULL,
    state TEXT NOT NULL,
    due_at INTEGER,
    name TEXT,
    missed_at INTEGER,
    CONSTRAINT run_deadline_pkey PRIMARY KEY (run_pk, deadline_no),
    CONSTRAINT run_deadline_state_check CHECK (state IN ('unresolved', 'pending', 'missed', 'none')),
    CONSTRAINT run_deadline_missed_check CHECK ((missed_at IS NOT NULL) = (state = 'missed'))
)
 WITHOUT ROWID;
