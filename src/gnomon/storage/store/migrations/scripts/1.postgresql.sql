-- The schema, for PostgreSQL. Differences to SQLite: identity columns; fillfactor leaves room for updates within the page.

CREATE TABLE attempt (
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    attempt TEXT NOT NULL,
    try_number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    worker TEXT,
    started_at BIGINT,
    ended_at BIGINT,
    exit_code INTEGER,
    log TEXT,
    CONSTRAINT attempt_pkey PRIMARY KEY (run_pk, task_no, map_index, seq),
    CONSTRAINT attempt_kind_check CHECK (kind IN ('task', 'callback'))
);

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
    encrypted BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT connection_pkey PRIMARY KEY (conn_id)
);

CREATE TABLE dag_processor (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    beat_at BIGINT NOT NULL,
    CONSTRAINT dag_processor_pkey PRIMARY KEY (id)
);

CREATE TABLE event_log (
    event_pk BIGSERIAL NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    dag_pk BIGINT,
    run_pk BIGINT,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    by TEXT NOT NULL,
    body TEXT NOT NULL,
    address TEXT,
    CONSTRAINT event_log_pkey PRIMARY KEY (event_pk)
);

CREATE INDEX event_log_dag ON event_log (dag_pk, event_pk);

CREATE INDEX event_log_passed ON event_log (dag_pk, event_pk) WHERE kind IN ('slot_held', 'slots_passed');

CREATE INDEX event_log_run ON event_log (run_pk, event_pk);

CREATE INDEX event_log_at ON event_log (at, event_pk);

-- Which runs have a task instance that a user has marked after the end of the run. Only marking a task instance by hand writes it.
CREATE INDEX event_log_marked ON event_log (at, run_pk) WHERE kind = 'marked';

CREATE TABLE file (
    file_pk BIGSERIAL NOT NULL,
    path TEXT NOT NULL,
    input_hash TEXT NOT NULL,
    inputs TEXT NOT NULL,
    has_volatile_import BOOLEAN DEFAULT false NOT NULL,
    fresh TEXT,
    parsed_at BIGINT NOT NULL,
    duration_s FLOAT NOT NULL,
    failed BOOLEAN DEFAULT false NOT NULL,
    stale BOOLEAN DEFAULT false NOT NULL,
    warnings TEXT DEFAULT '[]' NOT NULL,
    gone_at BIGINT,
    bundle_name TEXT,
    bundle_version TEXT,
    CONSTRAINT file_pkey PRIMARY KEY (file_pk),
    CONSTRAINT file_path_key UNIQUE (path)
);

CREATE TABLE mail (
    mail_pk BIGSERIAL NOT NULL,
    group_no SMALLINT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT,
    body TEXT NOT NULL,
    at BIGINT,
    CONSTRAINT mail_pkey PRIMARY KEY (mail_pk),
    CONSTRAINT mail_group_check CHECK (group_no BETWEEN 0 AND 63),
    CONSTRAINT mail_key_key UNIQUE (key)
);

CREATE INDEX mail_group ON mail (group_no, mail_pk);

CREATE TABLE pool (
    name TEXT NOT NULL,
    slots INTEGER NOT NULL,
    used INTEGER DEFAULT '0' NOT NULL,
    include_deferred BOOLEAN DEFAULT false NOT NULL,
    description TEXT DEFAULT '' NOT NULL,
    CONSTRAINT pool_pkey PRIMARY KEY (name),
    CONSTRAINT pool_slots_check CHECK (slots >= -1),
    CONSTRAINT pool_used_check CHECK (used >= 0)
)
WITH (fillfactor = 50);

CREATE TABLE request (
    request_pk BIGSERIAL NOT NULL,
    by TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    answer TEXT,
    at BIGINT,
    CONSTRAINT request_pkey PRIMARY KEY (request_pk),
    CONSTRAINT request_state_check CHECK (state IN ('pending', 'done', 'refused')),
    CONSTRAINT request_answered_check CHECK ((answer IS NULL) = (state = 'pending'))
);

CREATE TABLE run_wait (
    down_run BIGINT NOT NULL,
    edge_no INTEGER NOT NULL,
    up_dag TEXT NOT NULL,
    up_at BIGINT NOT NULL,
    down_group SMALLINT NOT NULL,
    up_group SMALLINT NOT NULL,
    task_id TEXT,
    state SMALLINT NOT NULL,
    keeps SMALLINT NOT NULL,
    rule TEXT NOT NULL,
    since BIGINT NOT NULL,
    clear_number INTEGER NOT NULL,
    note TEXT,
    CONSTRAINT run_wait_pkey PRIMARY KEY (down_run, edge_no, up_dag, up_at),
    CONSTRAINT run_wait_groups_check CHECK (down_group BETWEEN 0 AND 63 AND up_group BETWEEN 0 AND 63)
);

CREATE INDEX run_wait_open ON run_wait (up_group) WHERE state < 100;

CREATE INDEX run_wait_slot ON run_wait (up_dag, up_at);

CREATE TABLE scheduler (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    started_at BIGINT NOT NULL,
    beat_at BIGINT NOT NULL,
    fenced BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT scheduler_pkey PRIMARY KEY (id)
);

CREATE TABLE state (
    kind TEXT NOT NULL,
    code SMALLINT NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT state_pkey PRIMARY KEY (kind, code)
);

CREATE TABLE task_instance (
    run_pk BIGINT NOT NULL,
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
    resume_at BIGINT,
    started_at BIGINT,
    ended_at BIGINT,
    reason TEXT,
    version_pk BIGINT,
    return_length INTEGER,
    rendered_map_index TEXT,
    factor_lengths TEXT,
    overrides TEXT,
    CONSTRAINT task_instance_pkey PRIMARY KEY (run_pk, task_no, map_index),
    CONSTRAINT task_instance_final_check CHECK (state < 100 OR ended_at IS NOT NULL)
)
WITH (fillfactor = 80);

-- The only index beside the key, because every task writes this table: for lists of failures of all DAGs, with what such lists most often compare.
-- Only a task instance that ends without success writes it.
CREATE INDEX task_instance_not_successful ON task_instance (state, run_pk, task_no, map_index, pool, ended_at) WHERE state > 100;

CREATE TABLE trigger (
    trigger_pk BIGSERIAL NOT NULL,
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    defer_seq INTEGER NOT NULL,
    dag_pk BIGINT NOT NULL,
    classpath TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    next_method TEXT,
    next_kwargs TEXT,
    queue TEXT,
    due_at BIGINT,
    due_in_s FLOAT,
    timeout_at BIGINT,
    timeout_s FLOAT,
    ends_task BOOLEAN DEFAULT false NOT NULL,
    held_slots INTEGER NOT NULL,
    result TEXT,
    sent BOOLEAN DEFAULT false NOT NULL,
    triggerer TEXT,
    claimed_once BOOLEAN DEFAULT false NOT NULL,
    priority INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT trigger_pkey PRIMARY KEY (trigger_pk),
    CONSTRAINT trigger_run_pk_task_no_map_index_key UNIQUE (run_pk, task_no, map_index)
);

CREATE INDEX trigger_claimed ON trigger (triggerer, dag_pk) WHERE triggerer IS NOT NULL;

CREATE INDEX trigger_unclaimed ON trigger (priority DESC, trigger_pk) WHERE triggerer IS NULL AND due_at IS NULL AND result IS NULL AND NOT sent;

CREATE INDEX trigger_unclaimed_dag ON trigger (dag_pk) WHERE triggerer IS NULL AND due_at IS NULL AND result IS NULL AND NOT sent;

CREATE TABLE trigger_end (
    trigger_pk BIGINT NOT NULL,
    triggerer TEXT,
    on_kill BOOLEAN DEFAULT false NOT NULL,
    delivered BOOLEAN DEFAULT false NOT NULL,
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    dag_pk BIGINT NOT NULL,
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
    beat_at BIGINT NOT NULL,
    fenced BOOLEAN DEFAULT false NOT NULL,
    counted TEXT DEFAULT '{}' NOT NULL,
    CONSTRAINT triggerer_pkey PRIMARY KEY (id)
);

CREATE TABLE variable (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    description TEXT,
    encrypted BOOLEAN DEFAULT false NOT NULL,
    CONSTRAINT variable_pkey PRIMARY KEY (key)
);

CREATE TABLE worker (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    address TEXT NOT NULL,
    slots INTEGER NOT NULL,
    beat_at BIGINT NOT NULL,
    lost BOOLEAN DEFAULT false NOT NULL,
    queues TEXT,
    CONSTRAINT worker_pkey PRIMARY KEY (id)
);

CREATE TABLE xcom (
    xcom_pk BIGSERIAL NOT NULL,
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT xcom_pkey PRIMARY KEY (xcom_pk),
    CONSTRAINT xcom_run_pk_task_no_map_index_key_key UNIQUE (run_pk, task_no, map_index, key),
    CONSTRAINT xcom_size_check CHECK (length(value) <= 16777216)
);

CREATE TABLE dag (
    dag_pk BIGSERIAL NOT NULL,
    dag_id TEXT NOT NULL,
    group_no SMALLINT NOT NULL,
    file_pk BIGINT NOT NULL,
    version_pk BIGINT,
    input_hash TEXT NOT NULL,
    paused BOOLEAN DEFAULT false NOT NULL,
    active BOOLEAN DEFAULT false NOT NULL,
    plan_seq BIGINT DEFAULT '0' NOT NULL,
    cursor TEXT,
    next_run_after BIGINT,
    next_body TEXT,
    fingerprint TEXT,
    error TEXT,
    dependency_error TEXT,
    live_at BIGINT,
    CONSTRAINT dag_pkey PRIMARY KEY (dag_pk),
    CONSTRAINT dag_group_check CHECK (group_no BETWEEN 0 AND 63),
    CONSTRAINT dag_next_check CHECK ((next_run_after IS NULL) = (next_body IS NULL)),
    CONSTRAINT dag_dag_id_key UNIQUE (dag_id),
    CONSTRAINT dag_file_pk_fkey FOREIGN KEY(file_pk) REFERENCES file (file_pk)
);

CREATE INDEX dag_of_file ON dag (file_pk);

CREATE INDEX dag_of_group ON dag (group_no);

CREATE TABLE dag_edge (
    dag_pk BIGINT NOT NULL,
    edge_no INTEGER NOT NULL,
    task_id TEXT,
    up_dag TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT dag_edge_pkey PRIMARY KEY (dag_pk, edge_no),
    CONSTRAINT dag_edge_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE INDEX dag_edge_up ON dag_edge (up_dag);

CREATE TABLE dag_group (
    group_no SMALLINT NOT NULL,
    owner TEXT,
    epoch BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT dag_group_pkey PRIMARY KEY (group_no),
    CONSTRAINT dag_group_group_check CHECK (group_no BETWEEN 0 AND 63),
    CONSTRAINT dag_group_owner_fkey FOREIGN KEY(owner) REFERENCES scheduler (id)
);

CREATE INDEX dag_group_owner ON dag_group (owner);

CREATE TABLE import_error (
    file_pk BIGINT NOT NULL,
    number INTEGER NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    line INTEGER,
    traceback TEXT NOT NULL,
    at BIGINT NOT NULL,
    CONSTRAINT import_error_pkey PRIMARY KEY (file_pk, number),
    CONSTRAINT import_error_file_pk_fkey FOREIGN KEY(file_pk) REFERENCES file (file_pk) ON DELETE CASCADE
);

CREATE TABLE dag_run (
    run_pk BIGSERIAL NOT NULL,
    dag_pk BIGINT NOT NULL,
    group_no SMALLINT NOT NULL,
    run_id TEXT NOT NULL,
    slot_key TEXT,
    run_type TEXT NOT NULL,
    logical_at BIGINT,
    interval_start BIGINT,
    interval_end BIGINT,
    run_after BIGINT NOT NULL,
    version_pk BIGINT,
    state SMALLINT NOT NULL,
    reason TEXT,
    conf TEXT DEFAULT '{}' NOT NULL,
    queued_at BIGINT NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    clear_number INTEGER DEFAULT '0' NOT NULL,
    backfill_pk BIGINT,
    stands_for BIGINT,
    partition_key TEXT,
    partition_date BIGINT,
    bundle_version TEXT,
    CONSTRAINT dag_run_pkey PRIMARY KEY (run_pk),
    CONSTRAINT dag_run_dag_pk_run_id_key UNIQUE (dag_pk, run_id),
    CONSTRAINT dag_run_dag_pk_slot_key_key UNIQUE (dag_pk, slot_key),
    CONSTRAINT dag_run_final_check CHECK ((ended_at IS NULL) = (state < 100)),
    CONSTRAINT dag_run_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
WITH (fillfactor = 80);

CREATE INDEX dag_run_order ON dag_run (dag_pk, run_after DESC, run_pk DESC);

CREATE INDEX dag_run_stands ON dag_run (dag_pk, stands_for) WHERE stands_for IS NOT NULL;

CREATE INDEX dag_run_unfinished ON dag_run (group_no) WHERE ended_at IS NULL;

CREATE INDEX dag_run_backfill ON dag_run (backfill_pk, state, run_after) WHERE backfill_pk IS NOT NULL;

-- Ended runs of all DAGs. Rows enter the index when the run ends, so a new run costs nothing more.
CREATE INDEX dag_run_ended ON dag_run (state, ended_at) WHERE ended_at IS NOT NULL;

-- These are for lists of the API over the history of all DAGs: most runs change their columns once or twice.
CREATE INDEX dag_run_run_after ON dag_run (run_after, run_pk);

CREATE INDEX dag_run_logical_at ON dag_run (logical_at, run_pk);

CREATE INDEX dag_run_started_at ON dag_run (started_at, run_pk);

CREATE INDEX dag_run_updated_at ON dag_run (COALESCE(ended_at, started_at, queued_at), run_pk);

CREATE INDEX dag_run_partition_date ON dag_run (partition_date, run_pk) WHERE partition_date IS NOT NULL;

CREATE INDEX dag_run_partition_key ON dag_run (partition_key, run_pk) WHERE partition_key IS NOT NULL;

-- For lists of failures of all DAGs, with what such lists most often compare, so that other rows are passed over in the index. Only the end of a
-- failed run writes it.
CREATE INDEX dag_run_failed ON dag_run (run_after, run_pk, dag_pk, ended_at) WHERE state = 101;

CREATE TABLE dag_version (
    version_pk BIGSERIAL NOT NULL,
    dag_pk BIGINT NOT NULL,
    number INTEGER NOT NULL,
    spec_hash TEXT NOT NULL,
    spec BYTEA NOT NULL,
    input_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    source_hash TEXT,
    bundle_name TEXT,
    bundle_version TEXT,
    CONSTRAINT dag_version_pkey PRIMARY KEY (version_pk),
    CONSTRAINT dag_version_dag_pk_number_key UNIQUE (dag_pk, number),
    CONSTRAINT dag_version_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE INDEX dag_version_source ON dag_version (source_hash) WHERE source_hash IS NOT NULL;

CREATE TABLE run_tally (
    dag_pk BIGINT NOT NULL,
    state SMALLINT NOT NULL,
    n BIGINT NOT NULL,
    CONSTRAINT run_tally_pkey PRIMARY KEY (dag_pk, state),
    CONSTRAINT run_tally_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE TABLE task_name (
    dag_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    task_id TEXT NOT NULL,
    CONSTRAINT task_name_pkey PRIMARY KEY (dag_pk, task_no),
    CONSTRAINT task_name_dag_pk_task_id_key UNIQUE (dag_pk, task_id),
    CONSTRAINT task_name_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE TABLE key_check (
    only_row SMALLINT NOT NULL,
    sealed TEXT NOT NULL,
    CONSTRAINT key_check_pkey PRIMARY KEY (only_row),
    CONSTRAINT key_check_only_row_check CHECK (only_row = 1)
);

CREATE TABLE asset (
    asset_pk BIGSERIAL NOT NULL,
    name TEXT NOT NULL,
    uri TEXT NOT NULL,
    asset_group TEXT DEFAULT 'asset' NOT NULL,
    extra TEXT DEFAULT '{}' NOT NULL,
    created_at BIGINT DEFAULT '0' NOT NULL,
    updated_at BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT asset_pkey PRIMARY KEY (asset_pk),
    CONSTRAINT asset_name_uri_key UNIQUE (name, uri)
);

CREATE INDEX asset_uri ON asset (uri);

CREATE TABLE asset_event (
    event_pk BIGSERIAL NOT NULL,
    uid TEXT NOT NULL,
    asset_pk BIGINT NOT NULL,
    at BIGINT NOT NULL,
    extra TEXT DEFAULT '{}' NOT NULL,
    aliases TEXT DEFAULT '[]' NOT NULL,
    source_dag_id TEXT,
    source_task_id TEXT,
    source_run_id TEXT,
    source_map_index INTEGER DEFAULT '-1' NOT NULL,
    partition_key TEXT,
    CONSTRAINT asset_event_pkey PRIMARY KEY (event_pk),
    CONSTRAINT asset_event_uid_key UNIQUE (uid),
    CONSTRAINT asset_event_asset_pk_fkey FOREIGN KEY(asset_pk) REFERENCES asset (asset_pk)
);

CREATE INDEX asset_event_asset ON asset_event (asset_pk, event_pk);

CREATE TABLE asset_event_alias (
    alias TEXT NOT NULL,
    event_pk BIGINT NOT NULL,
    CONSTRAINT asset_event_alias_pkey PRIMARY KEY (alias, event_pk)
);

CREATE TABLE asset_queue (
    dag_pk BIGINT NOT NULL,
    leaf TEXT NOT NULL,
    event_pk BIGINT NOT NULL,
    CONSTRAINT asset_queue_pkey PRIMARY KEY (dag_pk, leaf, event_pk)
);

CREATE TABLE dag_asset (
    dag_pk BIGINT NOT NULL,
    role TEXT NOT NULL,
    task_id TEXT DEFAULT '' NOT NULL,
    leaf TEXT NOT NULL,
    place TEXT,
    declared_at BIGINT NOT NULL,
    CONSTRAINT dag_asset_pkey PRIMARY KEY (dag_pk, role, task_id, leaf),
    CONSTRAINT dag_asset_role_check CHECK (role IN ('schedule', 'inlet', 'outlet')),
    CONSTRAINT dag_asset_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE INDEX dag_asset_leaf ON dag_asset (leaf, role);

CREATE TABLE dag_run_asset_event (
    run_pk BIGINT NOT NULL,
    event_pk BIGINT NOT NULL,
    CONSTRAINT dag_run_asset_event_pkey PRIMARY KEY (run_pk, event_pk)
);

CREATE INDEX dag_run_asset_event_event ON dag_run_asset_event (event_pk);

CREATE TABLE task_state_store (
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT,
    CONSTRAINT task_state_store_pkey PRIMARY KEY (run_pk, task_no, map_index, key),
    CONSTRAINT task_state_store_size_check CHECK (length(value) <= 16777216)
);

CREATE INDEX task_state_store_expires_at ON task_state_store (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE asset_state_store (
    asset TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    writer TEXT NOT NULL,
    source TEXT,
    CONSTRAINT asset_state_store_pkey PRIMARY KEY (asset, key),
    CONSTRAINT asset_state_store_size_check CHECK (length(value) <= 16777216)
);

CREATE TABLE backfill (
    backfill_pk BIGSERIAL NOT NULL,
    dag_pk BIGINT NOT NULL,
    group_no SMALLINT NOT NULL,
    from_at BIGINT NOT NULL,
    to_at BIGINT NOT NULL,
    reprocess TEXT NOT NULL,
    max_active_runs INTEGER NOT NULL,
    runs_backwards BOOLEAN DEFAULT false NOT NULL,
    conf TEXT DEFAULT '{}' NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    paused BOOLEAN DEFAULT false NOT NULL,
    cancelled_by TEXT,
    "position" TEXT,
    is_planned BOOLEAN DEFAULT false NOT NULL,
    is_windowed BOOLEAN DEFAULT true NOT NULL,
    slot_count INTEGER DEFAULT '0' NOT NULL,
    first_run_after BIGINT,
    error TEXT,
    ended_at BIGINT,
    CONSTRAINT backfill_pkey PRIMARY KEY (backfill_pk),
    CONSTRAINT backfill_max_active_runs_check CHECK (max_active_runs >= 1),
    CONSTRAINT backfill_range_check CHECK (from_at <= to_at),
    CONSTRAINT backfill_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE UNIQUE INDEX backfill_active ON backfill (dag_pk) WHERE ended_at IS NULL;

CREATE INDEX backfill_unended ON backfill (group_no) WHERE ended_at IS NULL;

CREATE INDEX backfill_dag ON backfill (dag_pk, backfill_pk);

CREATE TABLE backfill_slot (
    backfill_pk BIGINT NOT NULL,
    run_pk BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT backfill_slot_pkey PRIMARY KEY (backfill_pk, run_pk)
);

CREATE INDEX backfill_slot_due ON backfill_slot (backfill_pk, run_after) WHERE outcome = 'to_reprocess';

CREATE TABLE run_callback (
    id TEXT NOT NULL,
    run_pk BIGINT NOT NULL,
    dag_pk BIGINT NOT NULL,
    request TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    tries SMALLINT NOT NULL DEFAULT 0,
    attempt TEXT,
    worker TEXT,
    started_at BIGINT,
    ended_at BIGINT,
    reason TEXT,
    log TEXT,
    CONSTRAINT run_callback_pkey PRIMARY KEY (id),
    CONSTRAINT run_callback_state_check CHECK (state IN ('queued', 'running', 'success', 'failed')),
    CONSTRAINT run_callback_ended_check CHECK ((ended_at IS NOT NULL) = (state IN ('success', 'failed')))
);

CREATE INDEX run_callback_run ON run_callback (run_pk);

CREATE INDEX run_callback_unfinished ON run_callback (dag_pk) WHERE ended_at IS NULL;

CREATE TABLE run_deadline (
    run_pk BIGINT NOT NULL,
    deadline_no SMALLINT NOT NULL,
    state TEXT NOT NULL,
    due_at BIGINT,
    name TEXT,
    missed_at BIGINT,
    CONSTRAINT run_deadline_pkey PRIMARY KEY (run_pk, deadline_no),
    CONSTRAINT run_deadline_state_check CHECK (state IN ('unresolved', 'pending', 'missed', 'none')),
    CONSTRAINT run_deadline_missed_check CHECK ((missed_at IS NOT NULL) = (state = 'missed'))
);

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
    dag_pk BIGINT DEFAULT '0' NOT NULL,
    run_id TEXT DEFAULT '' NOT NULL,
    run_after BIGINT DEFAULT '0' NOT NULL,
    state SMALLINT DEFAULT '0' NOT NULL,
    CONSTRAINT hitl_detail_pkey PRIMARY KEY (run_pk, task_no, map_index, defer_seq),
    CONSTRAINT hitl_detail_response_check CHECK ((response IS NULL) = (responded_at IS NULL))
);

CREATE INDEX hitl_detail_open ON hitl_detail (created_at) WHERE responded_at IS NULL;

CREATE INDEX hitl_detail_dag ON hitl_detail (dag_pk, run_pk, task_no, map_index);

CREATE INDEX hitl_detail_run_id ON hitl_detail (run_id, run_pk, task_no, map_index);

CREATE INDEX hitl_detail_run_after ON hitl_detail (run_after, run_pk, task_no, map_index);

CREATE INDEX hitl_detail_created ON hitl_detail (created_at, run_pk, task_no, map_index);

CREATE INDEX hitl_detail_responded ON hitl_detail (responded_at, run_pk, task_no, map_index);

CREATE INDEX hitl_detail_state ON hitl_detail (state, run_pk, task_no, map_index);

CREATE TABLE asset_trigger (
    asset_trigger_pk BIGSERIAL NOT NULL,
    identity TEXT NOT NULL,
    classpath TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    triggerer TEXT,
    retry_at BIGINT,
    failures INTEGER DEFAULT '0' NOT NULL,
    failure TEXT,
    failed_at BIGINT,
    event_count BIGINT DEFAULT '0' NOT NULL,
    last_event_at BIGINT,
    created_at BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT asset_trigger_pkey PRIMARY KEY (asset_trigger_pk),
    CONSTRAINT asset_trigger_identity_key UNIQUE (identity),
    CONSTRAINT asset_trigger_failure_check CHECK ((failure IS NULL) = (failed_at IS NULL))
);

CREATE INDEX asset_trigger_triggerer ON asset_trigger (triggerer);

CREATE TABLE asset_watcher (
    dag_pk BIGINT NOT NULL,
    asset_name TEXT NOT NULL,
    asset_uri TEXT NOT NULL,
    watcher_name TEXT NOT NULL,
    asset_trigger_pk BIGINT NOT NULL,
    asset_leaf TEXT NOT NULL,
    name_leaf TEXT NOT NULL,
    uri_leaf TEXT NOT NULL,
    place TEXT,
    CONSTRAINT asset_watcher_pkey PRIMARY KEY (dag_pk, asset_name, asset_uri, watcher_name, asset_trigger_pk),
    CONSTRAINT asset_watcher_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk),
    CONSTRAINT asset_watcher_asset_trigger_pk_fkey FOREIGN KEY(asset_trigger_pk) REFERENCES asset_trigger (asset_trigger_pk)
);

CREATE INDEX asset_watcher_trigger ON asset_watcher (asset_trigger_pk);

CREATE TABLE service_lease (
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    host TEXT NOT NULL,
    beat_at BIGINT NOT NULL,
    CONSTRAINT service_lease_pkey PRIMARY KEY (name)
);

CREATE TABLE alert_event (
    event_pk BIGSERIAL NOT NULL,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    dag_pk BIGINT NOT NULL,
    run_pk BIGINT NOT NULL,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT alert_event_pkey PRIMARY KEY (event_pk)
);

CREATE TABLE alert (
    alert_pk BIGSERIAL NOT NULL,
    rule TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    dag_pk BIGINT,
    run_pk BIGINT,
    raised_at BIGINT NOT NULL,
    resolved_at BIGINT,
    body TEXT NOT NULL,
    CONSTRAINT alert_pkey PRIMARY KEY (alert_pk),
    CONSTRAINT alert_resolved_check CHECK (resolved_at IS NULL OR resolved_at >= raised_at)
);

CREATE UNIQUE INDEX alert_open ON alert (rule, subject) WHERE resolved_at IS NULL;

CREATE INDEX alert_raised ON alert (raised_at);

CREATE TABLE alert_delivery (
    delivery_pk BIGSERIAL NOT NULL,
    uid TEXT NOT NULL,
    channel TEXT NOT NULL,
    group_key TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    tries INTEGER DEFAULT '0' NOT NULL,
    ended_at BIGINT,
    error TEXT,
    body TEXT NOT NULL,
    CONSTRAINT alert_delivery_pkey PRIMARY KEY (delivery_pk),
    CONSTRAINT alert_delivery_uid_key UNIQUE (uid),
    CONSTRAINT alert_delivery_state_check CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    CONSTRAINT alert_delivery_ended_check CHECK ((ended_at IS NULL) = (state IN ('pending', 'sending')))
);

CREATE INDEX alert_delivery_due ON alert_delivery (due_at) WHERE ended_at IS NULL;

CREATE INDEX alert_delivery_group ON alert_delivery (channel, group_key, delivery_pk);

CREATE INDEX alert_delivery_ended ON alert_delivery (channel, ended_at);

CREATE INDEX alert_delivery_created ON alert_delivery (created_at);

CREATE TABLE account (
    account_pk BIGSERIAL NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    password_hash TEXT,
    role TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT account_pkey PRIMARY KEY (account_pk),
    CONSTRAINT account_name_key UNIQUE (name_key),
    CONSTRAINT account_role_check CHECK (role IN ('none', 'viewer', 'user', 'operator', 'admin'))
);

CREATE TABLE account_grant (
    account_pk BIGINT NOT NULL,
    kind TEXT NOT NULL,
    pattern TEXT NOT NULL,
    role TEXT NOT NULL,
    CONSTRAINT account_grant_pkey PRIMARY KEY (account_pk, kind, pattern),
    CONSTRAINT account_grant_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT account_grant_kind_check CHECK (kind IN ('dag', 'tag')),
    CONSTRAINT account_grant_role_check CHECK (role IN ('viewer', 'user', 'operator', 'admin'))
);

CREATE TABLE api_token (
    token_pk BIGSERIAL NOT NULL,
    uid TEXT NOT NULL,
    account_pk BIGINT NOT NULL,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    used_at BIGINT,
    revoked_at BIGINT,
    CONSTRAINT api_token_pkey PRIMARY KEY (token_pk),
    CONSTRAINT api_token_uid_key UNIQUE (uid),
    CONSTRAINT api_token_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT api_token_role_check CHECK (role IN ('viewer', 'user', 'operator', 'admin'))
);

CREATE INDEX api_token_account ON api_token (account_pk);

CREATE TABLE login_session (
    session_pk BIGSERIAL NOT NULL,
    account_pk BIGINT NOT NULL,
    secret_hash TEXT NOT NULL,
    previous_hash TEXT,
    created_at BIGINT NOT NULL,
    rotated_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    address TEXT NOT NULL,
    CONSTRAINT login_session_pkey PRIMARY KEY (session_pk),
    CONSTRAINT login_session_secret_hash_key UNIQUE (secret_hash),
    CONSTRAINT login_session_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE
);

CREATE INDEX login_session_previous ON login_session (previous_hash) WHERE previous_hash IS NOT NULL;

CREATE INDEX login_session_account ON login_session (account_pk);

CREATE INDEX login_session_used ON login_session (used_at);

CREATE TABLE login_failure (
    source TEXT NOT NULL,
    failures INTEGER NOT NULL,
    last_at BIGINT NOT NULL,
    CONSTRAINT login_failure_pkey PRIMARY KEY (source)
);

CREATE INDEX login_failure_last ON login_failure (last_at);

CREATE TABLE asset_alias (
    alias_pk BIGSERIAL NOT NULL,
    name TEXT NOT NULL,
    alias_group TEXT DEFAULT 'asset' NOT NULL,
    CONSTRAINT asset_alias_pkey PRIMARY KEY (alias_pk),
    CONSTRAINT asset_alias_name_key UNIQUE (name)
);

CREATE TABLE note (
    run_pk BIGINT NOT NULL,
    task_no INTEGER DEFAULT '-1' NOT NULL,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT note_pkey PRIMARY KEY (run_pk, task_no, map_index),
    CONSTRAINT note_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE,
    CONSTRAINT note_length_check CHECK (length(content) BETWEEN 1 AND 1000)
);

CREATE TABLE favorite_dag (
    account TEXT NOT NULL,
    dag_pk BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT favorite_dag_pkey PRIMARY KEY (account, dag_pk),
    CONSTRAINT favorite_dag_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk) ON DELETE CASCADE
);

CREATE INDEX favorite_dag_dag ON favorite_dag (dag_pk);

CREATE TABLE change_journal (
    change_pk BIGSERIAL NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT change_journal_pkey PRIMARY KEY (change_pk)
);

CREATE TABLE service_figures (
    process_id TEXT NOT NULL,
    service TEXT NOT NULL,
    host TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT service_figures_pkey PRIMARY KEY (process_id)
);

CREATE TABLE trace_cursor (
    only_row SMALLINT NOT NULL,
    ended_at BIGINT NOT NULL,
    run_pk BIGINT NOT NULL,
    CONSTRAINT trace_cursor_pkey PRIMARY KEY (only_row),
    CONSTRAINT trace_cursor_only_row_check CHECK (only_row = 1)
);

CREATE TABLE account_identity (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_pk BIGINT NOT NULL,
    CONSTRAINT account_identity_pkey PRIMARY KEY (issuer, subject),
    CONSTRAINT account_identity_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE
);

CREATE INDEX account_identity_account ON account_identity (account_pk);

CREATE TABLE dag_source (
    source_hash TEXT NOT NULL,
    source BYTEA NOT NULL,
    used_at BIGINT NOT NULL,
    CONSTRAINT dag_source_pkey PRIMARY KEY (source_hash)
);

CREATE TABLE rendered_fields (
    run_pk BIGINT NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    fields TEXT NOT NULL,
    CONSTRAINT rendered_fields_pkey PRIMARY KEY (run_pk, task_no, map_index),
    CONSTRAINT rendered_fields_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE
);

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
    wait_reason TEXT,
    lost_reason TEXT,
    costs_try BOOLEAN,
    CONSTRAINT remote_attempt_pkey PRIMARY KEY (attempt),
    CONSTRAINT remote_attempt_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE
);

CREATE INDEX remote_attempt_run_pk_idx ON remote_attempt (run_pk);

CREATE TABLE api_server (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    up_since BIGINT NOT NULL,
    beat_at BIGINT NOT NULL,
    CONSTRAINT api_server_pkey PRIMARY KEY (id)
);

CREATE TABLE saved_view (
    account_pk BIGINT NOT NULL,
    page TEXT NOT NULL,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    is_default SMALLINT DEFAULT '0' NOT NULL,
    CONSTRAINT saved_view_pkey PRIMARY KEY (account_pk, page, name),
    CONSTRAINT saved_view_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT saved_view_is_default_check CHECK (is_default IN (0, 1)),
    CONSTRAINT saved_view_texts_check CHECK (length(page) <= 100 AND length(name) <= 100 AND length(query) <= 4000)
);

CREATE TABLE newest_run (
    dag_pk BIGINT NOT NULL,
    run_pk BIGINT NOT NULL,
    run_after BIGINT NOT NULL,
    state SMALLINT DEFAULT '1' NOT NULL,
    started_at BIGINT,
    ended_at BIGINT,
    CONSTRAINT newest_run_pkey PRIMARY KEY (dag_pk),
    CONSTRAINT newest_run_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

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
