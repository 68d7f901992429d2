-- Questions of tasks to people and their answers, for sqlite.

CREATE TABLE hitl_detail (
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    defer_seq INTEGER NOT NULL,
    try_number INTEGER NOT NULL,
    request TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER,
    response TEXT,
    responded_at INTEGER,
    CONSTRAINT hitl_detail_pkey PRIMARY KEY (run_pk, task_no, map_index, defer_seq),
    CONSTRAINT hitl_detail_response_check CHECK ((response IS NULL) = (responded_at IS NULL))
);

CREATE INDEX hitl_detail_open ON hitl_detail (created_at) WHERE responded_at IS NULL;
