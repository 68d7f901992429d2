-- Questions of tasks to people and their answers, for postgresql.

CREATE TABLE hitl_detail (
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    defer_seq INTEGER NOT NULL,
    try_number INTEGER NOT NULL,
    request TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT,
    response TEXT,
    responded_at BIGINT,
    CONSTRAINT hitl_detail_pkey PRIMARY KEY (run_pk, task_no, map_index, defer_seq),
    CONSTRAINT hitl_detail_response_check CHECK ((response IS NULL) = (responded_at IS NULL))
);

CREATE INDEX hitl_detail_open ON hitl_detail (created_at) WHERE responded_at IS NULL;
