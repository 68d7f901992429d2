-- The first schema, for sqlite. Differences: identity columns; task_instance, attempt, task_name and run_tally are clustered by their keys (WITHOUT ROWID).

CREATE TABLE attempt (
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    attempt TEXT NOT NULL,
    try_number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    worker TEXT,
    started_at INTEGER,
    ended_at INTEGER,
    exit_code INTEGER,
    log TEXT,
    CONSTRAINT attempt_pkey PRIMARY KEY (run_pk, task_no, map_index, seq),
    CONSTRAINT attempt_kind_check CHECK (kind IN ('task', 'callback'))
)
 WITHOUT ROWID;

CREATE TABLE connection (
    conn_id TEXT NOT NULL,
    conn_type TEXT NOT NULL,
    host TEXT,
    schema TEXT,
    login TEXT,
    password TEXT,
    port INTEGER,
    extra TEXT,
    description TEXT,
    encrypted BOOLEAN DEFAULT 0 NOT NULL,
    CONSTRAINT connection_pkey PRIMARY KEY (conn_id)
);

CREATE TABLE dag_processor (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    beat_at INTEGER NOT NULL,
    CONSTRAINT dag_processor_pkey PRIMARY KEY (id)
);

CREATE TABLE event_log (
    event_pk INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    dag_pk INTEGER,
    run_pk INTEGER,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    "by" TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT event_log_pkey PRIMARY KEY (event_pk)
);

CREATE INDEX event_log_dag ON event_log (dag_pk, event_pk);

CREATE INDEX event_log_passed ON event_log (dag_pk, event_pk) WHERE kind IN ('slot_held', 'slots_passed');

CREATE INDEX event_log_run ON event_log (run_pk, event_pk);

CREATE TABLE file (
    file_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    inputs TEXT NOT NULL,
    looked_further BOOLEAN DEFAULT 0 NOT NULL,
    fresh TEXT,
    parsed_at INTEGER NOT NULL,
    duration_s FLOAT NOT NULL,
    failed BOOLEAN DEFAULT 0 NOT NULL,
    stale BOOLEAN DEFAULT 0 NOT NULL,
    warnings TEXT DEFAULT '[]' NOT NULL,
    gone_at INTEGER,
    CONSTRAINT file_path_key UNIQUE (path)
);

CREATE TABLE mail (
    mail_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    group_no SMALLINT NOT NULL,
    kind TEXT NOT NULL,
    "key" TEXT,
    body TEXT NOT NULL,
    at INTEGER,
    CONSTRAINT mail_group_check CHECK (group_no BETWEEN 0 AND 63),
    CONSTRAINT mail_key_key UNIQUE ("key")
);

CREATE INDEX mail_group ON mail (group_no, mail_pk);

CREATE TABLE pool (
    name TEXT NOT NULL,
    slots INTEGER NOT NULL,
    used INTEGER DEFAULT '0' NOT NULL,
    include_deferred BOOLEAN DEFAULT 0 NOT NULL,
    description TEXT DEFAULT '' NOT NULL,
    CONSTRAINT pool_pkey PRIMARY KEY (name),
    CONSTRAINT pool_slots_check CHECK (slots >= -1),
    CONSTRAINT pool_used_check CHECK (used >= 0)
);

CREATE TABLE pool_waiter (
    pool TEXT NOT NULL,
    scheduler TEXT NOT NULL,
    priority INTEGER NOT NULL,
    since INTEGER NOT NULL,
    CONSTRAINT pool_waiter_pkey PRIMARY KEY (pool, scheduler)
);

CREATE TABLE request (
    request_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "by" TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT,
    at INTEGER,
    CONSTRAINT request_state_check CHECK (state IN ('pending', 'done', 'refused')),
    CONSTRAINT request_answered_check CHECK ((answer IS NULL) = (state = 'pending'))
);

CREATE TABLE run_wait (
    down_run INTEGER NOT NULL,
    edge_no INTEGER NOT NULL,
    up_dag TEXT NOT NULL,
    up_at INTEGER NOT NULL,
    down_group SMALLINT NOT NULL,
    up_group SMALLINT NOT NULL,
    task_id TEXT,
    state SMALLINT NOT NULL,
    keeps SMALLINT NOT NULL,
    rule TEXT NOT NULL,
    since INTEGER NOT NULL,
    clear_number INTEGER NOT NULL,
    note TEXT,
    CONSTRAINT run_wait_pkey PRIMARY KEY (down_run, edge_no, up_dag, up_at),
    CONSTRAINT run_wait_groups_check CHECK (down_group BETWEEN 0 AND 63 AND up_group BETWEEN 0 AND 63)
)
 WITHOUT ROWID;

CREATE INDEX run_wait_open ON run_wait (up_group) WHERE state < 100;

CREATE INDEX run_wait_slot ON run_wait (up_dag, up_at);

CREATE TABLE scheduler (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    fenced BOOLEAN DEFAULT 0 NOT NULL,
    CONSTRAINT scheduler_pkey PRIMARY KEY (id)
);

CREATE TABLE state (
    kind TEXT NOT NULL,
    code SMALLINT NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT state_pkey PRIMARY KEY (kind, code)
);

CREATE TABLE task_instance (
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    state SMALLINT NOT NULL,
    try_number INTEGER NOT NULL,
    max_tries INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    attempt TEXT,
    worker TEXT,
    defer_seq INTEGER NOT NULL,
    pool TEXT,
    pool_slots INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    resume_at INTEGER,
    started_at INTEGER,
    ended_at INTEGER,
    reason TEXT,
    version_pk INTEGER,
    CONSTRAINT task_instance_pkey PRIMARY KEY (run_pk, task_no, map_index),
    CONSTRAINT task_instance_final_check CHECK (state < 100 OR ended_at IS NOT NULL)
)
 WITHOUT ROWID;

CREATE TABLE "trigger" (
    trigger_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    defer_seq INTEGER NOT NULL,
    dag_pk INTEGER NOT NULL,
    classpath TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    next_method TEXT,
    next_kwargs TEXT,
    queue TEXT,
    due_at INTEGER,
    due_in_s FLOAT,
    timeout_at INTEGER,
    timeout_s FLOAT,
    ends_task BOOLEAN DEFAULT 0 NOT NULL,
    held_slots INTEGER NOT NULL,
    fired TEXT,
    sent BOOLEAN DEFAULT 0 NOT NULL,
    triggerer TEXT,
    begun BOOLEAN DEFAULT 0 NOT NULL,
    priority INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT trigger_run_pk_task_no_map_index_key UNIQUE (run_pk, task_no, map_index)
);

CREATE INDEX trigger_claimed ON "trigger" (triggerer, dag_pk) WHERE triggerer IS NOT NULL;

CREATE INDEX trigger_unclaimed ON "trigger" (priority DESC, trigger_pk) WHERE triggerer IS NULL AND due_at IS NULL AND fired IS NULL AND NOT sent;

CREATE INDEX trigger_unclaimed_dag ON "trigger" (dag_pk) WHERE triggerer IS NULL AND due_at IS NULL AND fired IS NULL AND NOT sent;

CREATE TABLE trigger_end (
    trigger_pk INTEGER NOT NULL,
    triggerer TEXT,
    on_kill BOOLEAN DEFAULT 0 NOT NULL,
    told BOOLEAN DEFAULT 0 NOT NULL,
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    dag_pk INTEGER NOT NULL,
    classpath TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    queue TEXT,
    CONSTRAINT trigger_end_pkey PRIMARY KEY (trigger_pk)
);

CREATE INDEX trigger_end_triggerer ON trigger_end (triggerer);

CREATE TABLE triggerer (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    capacity INTEGER NOT NULL,
    queues TEXT DEFAULT 'null' NOT NULL,
    beat_at INTEGER NOT NULL,
    fenced BOOLEAN DEFAULT 0 NOT NULL,
    counted TEXT DEFAULT '{}' NOT NULL,
    CONSTRAINT triggerer_pkey PRIMARY KEY (id)
);

CREATE TABLE variable (
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    description TEXT,
    encrypted BOOLEAN DEFAULT 0 NOT NULL,
    CONSTRAINT variable_pkey PRIMARY KEY ("key")
);

CREATE TABLE worker (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    address TEXT NOT NULL,
    slots INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    lost BOOLEAN DEFAULT 0 NOT NULL,
    CONSTRAINT worker_pkey PRIMARY KEY (id)
);

CREATE TABLE xcom (
    xcom_pk INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT xcom_pkey PRIMARY KEY (xcom_pk),
    CONSTRAINT xcom_run_pk_task_no_map_index_key_key UNIQUE (run_pk, task_no, map_index, "key"),
    CONSTRAINT xcom_size_check CHECK (length(value) <= 16777216)
);

CREATE TABLE dag (
    dag_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    dag_id TEXT NOT NULL,
    group_no SMALLINT NOT NULL,
    file_pk INTEGER NOT NULL,
    version_pk INTEGER,
    input_hash TEXT NOT NULL,
    paused BOOLEAN DEFAULT 0 NOT NULL,
    active BOOLEAN DEFAULT 0 NOT NULL,
    plan_seq INTEGER DEFAULT '0' NOT NULL,
    cursor TEXT,
    next_run_after INTEGER,
    next_body TEXT,
    fingerprint TEXT,
    error TEXT,
    dependency_error TEXT,
    live_at INTEGER,
    CONSTRAINT dag_group_check CHECK (group_no BETWEEN 0 AND 63),
    CONSTRAINT dag_next_check CHECK ((next_run_after IS NULL) = (next_body IS NULL)),
    CONSTRAINT dag_dag_id_key UNIQUE (dag_id),
    CONSTRAINT dag_file_pk_fkey FOREIGN KEY(file_pk) REFERENCES file (file_pk)
);

CREATE INDEX dag_of_file ON dag (file_pk);

CREATE INDEX dag_of_group ON dag (group_no);

CREATE TABLE dag_edge (
    dag_pk INTEGER NOT NULL,
    edge_no INTEGER NOT NULL,
    task_id TEXT,
    up_dag TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT dag_edge_pkey PRIMARY KEY (dag_pk, edge_no),
    CONSTRAINT dag_edge_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
 WITHOUT ROWID;

CREATE INDEX dag_edge_up ON dag_edge (up_dag);

CREATE TABLE dag_group (
    group_no SMALLINT NOT NULL,
    owner TEXT,
    epoch INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT dag_group_pkey PRIMARY KEY (group_no),
    CONSTRAINT dag_group_group_check CHECK (group_no BETWEEN 0 AND 63),
    CONSTRAINT dag_group_owner_fkey FOREIGN KEY(owner) REFERENCES scheduler (id)
);

CREATE INDEX dag_group_owner ON dag_group (owner);

CREATE TABLE import_error (
    file_pk INTEGER NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    line INTEGER,
    traceback TEXT NOT NULL,
    at INTEGER NOT NULL,
    CONSTRAINT import_error_pkey PRIMARY KEY (file_pk, number),
    CONSTRAINT import_error_file_pk_fkey FOREIGN KEY(file_pk) REFERENCES file (file_pk) ON DELETE CASCADE
);

CREATE TABLE dag_run (
    run_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    dag_pk INTEGER NOT NULL,
    group_no SMALLINT NOT NULL,
    run_id TEXT NOT NULL,
    slot_key TEXT,
    run_type TEXT NOT NULL,
    logical_at INTEGER,
    interval_start INTEGER,
    interval_end INTEGER,
    run_after INTEGER NOT NULL,
    version_pk INTEGER,
    state SMALLINT NOT NULL,
    reason TEXT,
    conf TEXT DEFAULT '{}' NOT NULL,
    queued_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at INTEGER,
    clear_number INTEGER DEFAULT '0' NOT NULL,
    backfill_pk INTEGER,
    stands_for INTEGER,
    CONSTRAINT dag_run_dag_pk_run_id_key UNIQUE (dag_pk, run_id),
    CONSTRAINT dag_run_dag_pk_slot_key_key UNIQUE (dag_pk, slot_key),
    CONSTRAINT dag_run_final_check CHECK ((ended_at IS NULL) = (state < 100)),
    CONSTRAINT dag_run_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE INDEX dag_run_failed ON dag_run (ended_at) WHERE state = 101;

CREATE INDEX dag_run_order ON dag_run (dag_pk, run_after DESC, run_pk DESC);

CREATE INDEX dag_run_stands ON dag_run (dag_pk, stands_for) WHERE stands_for IS NOT NULL;

CREATE INDEX dag_run_unfinished ON dag_run (group_no) WHERE ended_at IS NULL;

CREATE TABLE dag_version (
    version_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    dag_pk INTEGER NOT NULL,
    number INTEGER NOT NULL,
    spec_hash TEXT NOT NULL,
    spec BLOB NOT NULL,
    input_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT dag_version_dag_pk_number_key UNIQUE (dag_pk, number),
    CONSTRAINT dag_version_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE TABLE run_tally (
    dag_pk INTEGER NOT NULL,
    state SMALLINT NOT NULL,
    n INTEGER NOT NULL,
    CONSTRAINT run_tally_pkey PRIMARY KEY (dag_pk, state),
    CONSTRAINT run_tally_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
 WITHOUT ROWID;

CREATE TABLE task_name (
    dag_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    CONSTRAINT task_name_pkey PRIMARY KEY (dag_pk, task_no),
    CONSTRAINT task_name_dag_pk_task_id_key UNIQUE (dag_pk, task_id),
    CONSTRAINT task_name_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
 WITHOUT ROWID;

INSERT INTO state (kind, code, name) VALUES
    ('task', 0, 'no_status'),
    ('task', 1, 'scheduled'),
    ('task', 2, 'queued'),
    ('task', 3, 'running'),
    ('task', 4, 'up_for_retry'),
    ('task', 5, 'up_for_reschedule'),
    ('task', 6, 'deferred'),
    ('task', 7, 'restarting'),
    ('task', 8, 'awaiting_input'),
    ('task', 100, 'success'),
    ('task', 101, 'failed'),
    ('task', 102, 'skipped'),
    ('task', 103, 'upstream_failed'),
    ('task', 104, 'removed'),
    ('run', 1, 'queued'),
    ('run', 2, 'running'),
    ('run', 100, 'success'),
    ('run', 101, 'failed');

INSERT INTO dag_group (group_no) VALUES
    (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60), (61), (62), (63);

INSERT INTO pool (name, slots, description) VALUES ('default_pool', 128, 'Tasks without a pool of their own');
