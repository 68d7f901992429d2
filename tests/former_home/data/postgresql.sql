CREATE TABLE account (
    account_pk bigint NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    password_hash text,
    role text NOT NULL,
    epoch integer DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT account_role_check CHECK ((role = ANY (ARRAY['none'::text, 'viewer'::text, 'user'::text, 'operator'::text, 'admin'::text])))
);
CREATE SEQUENCE account_account_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE account_account_pk_seq OWNED BY account.account_pk;
CREATE TABLE account_grant (
    account_pk bigint NOT NULL,
    kind text NOT NULL,
    pattern text NOT NULL,
    role text NOT NULL,
    CONSTRAINT account_grant_kind_check CHECK ((kind = ANY (ARRAY['dag'::text, 'tag'::text]))),
    CONSTRAINT account_grant_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'user'::text, 'operator'::text, 'admin'::text])))
);
CREATE TABLE account_identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    account_pk bigint NOT NULL
);
CREATE TABLE alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE alert (
    alert_pk bigint NOT NULL,
    rule text NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    dag_pk bigint,
    run_pk bigint,
    raised_at bigint NOT NULL,
    resolved_at bigint,
    body text NOT NULL,
    CONSTRAINT alert_resolved_check CHECK (((resolved_at IS NULL) OR (resolved_at >= raised_at)))
);
CREATE SEQUENCE alert_alert_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE alert_alert_pk_seq OWNED BY alert.alert_pk;
CREATE TABLE alert_delivery (
    delivery_pk bigint NOT NULL,
    uid text NOT NULL,
    channel text NOT NULL,
    group_key text NOT NULL,
    state text NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    ended_at bigint,
    error text,
    body text NOT NULL,
    CONSTRAINT alert_delivery_ended_check CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['pending'::text, 'sending'::text])))),
    CONSTRAINT alert_delivery_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'sent'::text, 'failed'::text])))
);
CREATE SEQUENCE alert_delivery_delivery_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE alert_delivery_delivery_pk_seq OWNED BY alert_delivery.delivery_pk;
CREATE TABLE alert_event (
    event_pk bigint NOT NULL,
    kind text NOT NULL,
    at bigint NOT NULL,
    dag_pk bigint NOT NULL,
    run_pk bigint NOT NULL,
    task_no integer,
    map_index integer DEFAULT '-1'::integer NOT NULL,
    body text NOT NULL
);
CREATE SEQUENCE alert_event_event_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE alert_event_event_pk_seq OWNED BY alert_event.event_pk;
CREATE TABLE api_server (
    id text NOT NULL,
    host text NOT NULL,
    up_since bigint NOT NULL,
    beat_at bigint NOT NULL
);
CREATE TABLE api_token (
    token_pk bigint NOT NULL,
    uid text NOT NULL,
    account_pk bigint NOT NULL,
    name text NOT NULL,
    secret_hash text NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    used_at bigint,
    revoked_at bigint,
    CONSTRAINT api_token_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'user'::text, 'operator'::text, 'admin'::text])))
);
CREATE SEQUENCE api_token_token_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE api_token_token_pk_seq OWNED BY api_token.token_pk;
CREATE TABLE asset (
    asset_pk bigint NOT NULL,
    name text NOT NULL,
    uri text NOT NULL,
    asset_group text DEFAULT 'asset'::text NOT NULL,
    extra text DEFAULT '{}'::text NOT NULL,
    created_at bigint DEFAULT '0'::bigint NOT NULL,
    updated_at bigint DEFAULT '0'::bigint NOT NULL
);
CREATE TABLE asset_alias (
    alias_pk bigint NOT NULL,
    name text NOT NULL,
    alias_group text DEFAULT 'asset'::text NOT NULL
);
CREATE SEQUENCE asset_alias_alias_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE asset_alias_alias_pk_seq OWNED BY asset_alias.alias_pk;
CREATE SEQUENCE asset_asset_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE asset_asset_pk_seq OWNED BY asset.asset_pk;
CREATE TABLE asset_event (
    event_pk bigint NOT NULL,
    uid text NOT NULL,
    asset_pk bigint NOT NULL,
    at bigint NOT NULL,
    extra text DEFAULT '{}'::text NOT NULL,
    aliases text DEFAULT '[]'::text NOT NULL,
    source_dag_id text,
    source_task_id text,
    source_run_id text,
    source_map_index integer DEFAULT '-1'::integer NOT NULL,
    partition_key text
);
CREATE TABLE asset_event_alias (
    alias text NOT NULL,
    event_pk bigint NOT NULL
);
CREATE SEQUENCE asset_event_event_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE asset_event_event_pk_seq OWNED BY asset_event.event_pk;
CREATE TABLE asset_queue (
    dag_pk bigint NOT NULL,
    leaf text NOT NULL,
    event_pk bigint NOT NULL
);
CREATE TABLE asset_state_store (
    asset text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    updated_at bigint NOT NULL,
    writer text NOT NULL,
    source text,
    CONSTRAINT asset_state_store_size_check CHECK ((length(value) <= 16777216))
);
CREATE TABLE asset_trigger (
    asset_trigger_pk bigint NOT NULL,
    identity text NOT NULL,
    classpath text NOT NULL,
    kwargs text NOT NULL,
    triggerer text,
    retry_at bigint,
    failures integer DEFAULT 0 NOT NULL,
    failure text,
    failed_at bigint,
    event_count bigint DEFAULT '0'::bigint NOT NULL,
    last_event_at bigint,
    created_at bigint DEFAULT '0'::bigint NOT NULL,
    CONSTRAINT asset_trigger_failure_check CHECK (((failure IS NULL) = (failed_at IS NULL)))
);
CREATE SEQUENCE asset_trigger_asset_trigger_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE asset_trigger_asset_trigger_pk_seq OWNED BY asset_trigger.asset_trigger_pk;
CREATE TABLE asset_watcher (
    dag_pk bigint NOT NULL,
    asset_name text NOT NULL,
    asset_uri text NOT NULL,
    watcher_name text NOT NULL,
    asset_trigger_pk bigint NOT NULL,
    asset_leaf text NOT NULL,
    name_leaf text NOT NULL,
    uri_leaf text NOT NULL,
    place text
);
CREATE TABLE attempt (
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    seq integer NOT NULL,
    attempt text NOT NULL,
    try_number integer NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    reason text,
    worker text,
    started_at bigint,
    ended_at bigint,
    exit_code integer,
    log text,
    CONSTRAINT attempt_kind_check CHECK ((kind = ANY (ARRAY['task'::text, 'callback'::text])))
);
CREATE TABLE backfill (
    backfill_pk bigint NOT NULL,
    dag_pk bigint NOT NULL,
    group_no smallint NOT NULL,
    from_at bigint NOT NULL,
    to_at bigint NOT NULL,
    reprocess text NOT NULL,
    max_active_runs integer NOT NULL,
    runs_backwards boolean DEFAULT false NOT NULL,
    conf text DEFAULT '{}'::text NOT NULL,
    created_at bigint NOT NULL,
    created_by text NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    cancelled_by text,
    "position" text,
    is_planned boolean DEFAULT false NOT NULL,
    is_windowed boolean DEFAULT true NOT NULL,
    slot_count integer DEFAULT 0 NOT NULL,
    first_run_after bigint,
    error text,
    ended_at bigint,
    CONSTRAINT backfill_max_active_runs_check CHECK ((max_active_runs >= 1)),
    CONSTRAINT backfill_range_check CHECK ((from_at <= to_at))
);
CREATE SEQUENCE backfill_backfill_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE backfill_backfill_pk_seq OWNED BY backfill.backfill_pk;
CREATE TABLE backfill_slot (
    backfill_pk bigint NOT NULL,
    run_pk bigint NOT NULL,
    run_after bigint NOT NULL,
    outcome text NOT NULL
);
CREATE TABLE change_journal (
    change_pk bigint NOT NULL,
    at bigint NOT NULL,
    body text NOT NULL
);
CREATE SEQUENCE change_journal_change_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE change_journal_change_pk_seq OWNED BY change_journal.change_pk;
CREATE TABLE connection (
    conn_id text NOT NULL,
    conn_type text NOT NULL,
    host text,
    schema text,
    login text,
    password text,
    port integer,
    extra text,
    description text,
    encrypted boolean DEFAULT false NOT NULL
);
CREATE TABLE dag (
    dag_pk bigint NOT NULL,
    dag_id text NOT NULL,
    group_no smallint NOT NULL,
    file_pk bigint NOT NULL,
    version_pk bigint,
    input_hash text NOT NULL,
    paused boolean DEFAULT false NOT NULL,
    active boolean DEFAULT false NOT NULL,
    plan_seq bigint DEFAULT '0'::bigint NOT NULL,
    cursor text,
    next_run_after bigint,
    next_body text,
    fingerprint text,
    error text,
    dependency_error text,
    live_at bigint,
    CONSTRAINT dag_group_check CHECK (((group_no >= 0) AND (group_no <= 63))),
    CONSTRAINT dag_next_check CHECK (((next_run_after IS NULL) = (next_body IS NULL)))
);
CREATE TABLE dag_asset (
    dag_pk bigint NOT NULL,
    role text NOT NULL,
    task_id text DEFAULT ''::text NOT NULL,
    leaf text NOT NULL,
    place text,
    declared_at bigint NOT NULL,
    CONSTRAINT dag_asset_role_check CHECK ((role = ANY (ARRAY['schedule'::text, 'inlet'::text, 'outlet'::text])))
);
CREATE SEQUENCE dag_dag_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE dag_dag_pk_seq OWNED BY dag.dag_pk;
CREATE TABLE dag_edge (
    dag_pk bigint NOT NULL,
    edge_no integer NOT NULL,
    task_id text,
    up_dag text NOT NULL,
    body text NOT NULL
);
CREATE TABLE dag_group (
    group_no smallint NOT NULL,
    owner text,
    epoch bigint DEFAULT '0'::bigint NOT NULL,
    CONSTRAINT dag_group_group_check CHECK (((group_no >= 0) AND (group_no <= 63)))
);
CREATE TABLE dag_processor (
    id text NOT NULL,
    host text NOT NULL,
    beat_at bigint NOT NULL
);
CREATE TABLE dag_run (
    run_pk bigint NOT NULL,
    dag_pk bigint NOT NULL,
    group_no smallint NOT NULL,
    run_id text NOT NULL,
    slot_key text,
    run_type text NOT NULL,
    logical_at bigint,
    interval_start bigint,
    interval_end bigint,
    run_after bigint NOT NULL,
    version_pk bigint,
    state smallint NOT NULL,
    reason text,
    conf text DEFAULT '{}'::text NOT NULL,
    queued_at bigint NOT NULL,
    started_at bigint,
    ended_at bigint,
    clear_number integer DEFAULT 0 NOT NULL,
    backfill_pk bigint,
    stands_for bigint,
    partition_key text,
    partition_date bigint,
    bundle_version text,
    CONSTRAINT dag_run_final_check CHECK (((ended_at IS NULL) = (state < 100)))
)
WITH (fillfactor='80');
CREATE TABLE dag_run_asset_event (
    run_pk bigint NOT NULL,
    event_pk bigint NOT NULL
);
CREATE SEQUENCE dag_run_run_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE dag_run_run_pk_seq OWNED BY dag_run.run_pk;
CREATE TABLE dag_source (
    source_hash text NOT NULL,
    source bytea NOT NULL,
    used_at bigint NOT NULL
);
CREATE TABLE dag_version (
    version_pk bigint NOT NULL,
    dag_pk bigint NOT NULL,
    number integer NOT NULL,
    spec_hash text NOT NULL,
    spec bytea NOT NULL,
    input_hash text NOT NULL,
    created_at bigint NOT NULL,
    source_hash text,
    bundle_name text,
    bundle_version text
);
CREATE SEQUENCE dag_version_version_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE dag_version_version_pk_seq OWNED BY dag_version.version_pk;
CREATE TABLE event_log (
    event_pk bigint NOT NULL,
    at bigint NOT NULL,
    kind text NOT NULL,
    dag_pk bigint,
    run_pk bigint,
    task_no integer,
    map_index integer DEFAULT '-1'::integer NOT NULL,
    by text NOT NULL,
    body text NOT NULL,
    address text
);
CREATE SEQUENCE event_log_event_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE event_log_event_pk_seq OWNED BY event_log.event_pk;
CREATE TABLE favorite_dag (
    account text NOT NULL,
    dag_pk bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE file (
    file_pk bigint NOT NULL,
    path text NOT NULL,
    input_hash text NOT NULL,
    inputs text NOT NULL,
    looked_further boolean DEFAULT false NOT NULL,
    fresh text,
    parsed_at bigint NOT NULL,
    duration_s double precision NOT NULL,
    failed boolean DEFAULT false NOT NULL,
    stale boolean DEFAULT false NOT NULL,
    warnings text DEFAULT '[]'::text NOT NULL,
    gone_at bigint,
    bundle_name text,
    bundle_version text
);
CREATE SEQUENCE file_file_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE file_file_pk_seq OWNED BY file.file_pk;
CREATE TABLE hitl_detail (
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    defer_seq integer NOT NULL,
    try_number integer NOT NULL,
    request text NOT NULL,
    created_at bigint NOT NULL,
    due_at bigint,
    response text,
    responded_at bigint,
    dag_pk bigint DEFAULT '0'::bigint NOT NULL,
    run_id text DEFAULT ''::text NOT NULL,
    run_after bigint DEFAULT '0'::bigint NOT NULL,
    state smallint DEFAULT '0'::smallint NOT NULL,
    CONSTRAINT hitl_detail_response_check CHECK (((response IS NULL) = (responded_at IS NULL)))
);
CREATE TABLE import_error (
    file_pk bigint NOT NULL,
    number integer NOT NULL,
    kind text NOT NULL,
    message text NOT NULL,
    line integer,
    traceback text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE key_check (
    only_row smallint NOT NULL,
    sealed text NOT NULL,
    CONSTRAINT key_check_only_row_check CHECK ((only_row = 1))
);
CREATE TABLE login_failure (
    source text NOT NULL,
    failures integer NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE login_session (
    session_pk bigint NOT NULL,
    account_pk bigint NOT NULL,
    secret_hash text NOT NULL,
    previous_hash text,
    created_at bigint NOT NULL,
    rotated_at bigint NOT NULL,
    used_at bigint NOT NULL,
    address text NOT NULL
);
CREATE SEQUENCE login_session_session_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE login_session_session_pk_seq OWNED BY login_session.session_pk;
CREATE TABLE mail (
    mail_pk bigint NOT NULL,
    group_no smallint NOT NULL,
    kind text NOT NULL,
    key text,
    body text NOT NULL,
    at bigint,
    CONSTRAINT mail_group_check CHECK (((group_no >= 0) AND (group_no <= 63)))
);
CREATE SEQUENCE mail_mail_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE mail_mail_pk_seq OWNED BY mail.mail_pk;
CREATE TABLE newest_run (
    dag_pk bigint NOT NULL,
    run_pk bigint NOT NULL,
    run_after bigint NOT NULL,
    state smallint DEFAULT '1'::smallint NOT NULL,
    started_at bigint,
    ended_at bigint
);
CREATE TABLE note (
    run_pk bigint NOT NULL,
    task_no integer DEFAULT '-1'::integer NOT NULL,
    map_index integer DEFAULT '-1'::integer NOT NULL,
    content text NOT NULL,
    author text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT note_length_check CHECK (((length(content) >= 1) AND (length(content) <= 1000)))
);
CREATE TABLE pool (
    name text NOT NULL,
    slots integer NOT NULL,
    used integer DEFAULT 0 NOT NULL,
    include_deferred boolean DEFAULT false NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    CONSTRAINT pool_slots_check CHECK ((slots >= '-1'::integer)),
    CONSTRAINT pool_used_check CHECK ((used >= 0))
)
WITH (fillfactor='50');
CREATE TABLE remote_attempt (
    attempt text NOT NULL,
    executor text NOT NULL,
    group_no smallint NOT NULL,
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    queue text NOT NULL,
    body text NOT NULL,
    offered_at bigint NOT NULL,
    published_at bigint,
    worker text,
    claimed_at bigint,
    entered_at bigint,
    cancel_reason text,
    cancel_grace_s double precision,
    wait_reason text,
    lost_reason text,
    costs_try boolean
);
CREATE TABLE rendered_fields (
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    fields text NOT NULL
);
CREATE TABLE request (
    request_pk bigint NOT NULL,
    by text NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    state text NOT NULL,
    answer text,
    at bigint,
    CONSTRAINT request_answered_check CHECK (((answer IS NULL) = (state = 'pending'::text))),
    CONSTRAINT request_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'done'::text, 'refused'::text])))
);
CREATE SEQUENCE request_request_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE request_request_pk_seq OWNED BY request.request_pk;
CREATE TABLE run_callback (
    id text NOT NULL,
    run_pk bigint NOT NULL,
    dag_pk bigint NOT NULL,
    request text NOT NULL,
    created_at bigint NOT NULL,
    state text NOT NULL,
    tries smallint DEFAULT 0 NOT NULL,
    attempt text,
    worker text,
    started_at bigint,
    ended_at bigint,
    reason text,
    log text,
    CONSTRAINT run_callback_ended_check CHECK (((ended_at IS NOT NULL) = (state = ANY (ARRAY['success'::text, 'failed'::text])))),
    CONSTRAINT run_callback_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'success'::text, 'failed'::text])))
);
CREATE TABLE run_deadline (
    run_pk bigint NOT NULL,
    deadline_no smallint NOT NULL,
    state text NOT NULL,
    due_at bigint,
    name text,
    missed_at bigint,
    CONSTRAINT run_deadline_missed_check CHECK (((missed_at IS NOT NULL) = (state = 'missed'::text))),
    CONSTRAINT run_deadline_state_check CHECK ((state = ANY (ARRAY['unresolved'::text, 'pending'::text, 'missed'::text, 'none'::text])))
);
CREATE TABLE run_tally (
    dag_pk bigint NOT NULL,
    state smallint NOT NULL,
    n bigint NOT NULL
);
CREATE TABLE run_wait (
    down_run bigint NOT NULL,
    edge_no integer NOT NULL,
    up_dag text NOT NULL,
    up_at bigint NOT NULL,
    down_group smallint NOT NULL,
    up_group smallint NOT NULL,
    task_id text,
    state smallint NOT NULL,
    keeps smallint NOT NULL,
    rule text NOT NULL,
    since bigint NOT NULL,
    clear_number integer NOT NULL,
    note text,
    CONSTRAINT run_wait_groups_check CHECK ((((down_group >= 0) AND (down_group <= 63)) AND ((up_group >= 0) AND (up_group <= 63))))
);
CREATE TABLE saved_view (
    account_pk bigint NOT NULL,
    page text NOT NULL,
    name text NOT NULL,
    query text NOT NULL,
    is_default smallint DEFAULT '0'::smallint NOT NULL,
    CONSTRAINT saved_view_is_default_check CHECK ((is_default = ANY (ARRAY[0, 1]))),
    CONSTRAINT saved_view_texts_check CHECK (((length(page) <= 100) AND (length(name) <= 100) AND (length(query) <= 4000)))
);
CREATE TABLE scheduler (
    id text NOT NULL,
    host text NOT NULL,
    started_at bigint NOT NULL,
    beat_at bigint NOT NULL,
    fenced boolean DEFAULT false NOT NULL
);
CREATE TABLE service_figures (
    process_id text NOT NULL,
    service text NOT NULL,
    host text NOT NULL,
    at bigint NOT NULL,
    body text NOT NULL
);
CREATE TABLE service_lease (
    name text NOT NULL,
    holder text NOT NULL,
    host text NOT NULL,
    beat_at bigint NOT NULL
);
CREATE TABLE state (
    kind text NOT NULL,
    code smallint NOT NULL,
    name text NOT NULL
);
CREATE TABLE task_instance (
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    state smallint NOT NULL,
    try_number integer NOT NULL,
    max_tries integer NOT NULL,
    seq integer NOT NULL,
    attempt text,
    worker text,
    defer_seq integer NOT NULL,
    pool text,
    pool_slots integer NOT NULL,
    priority integer NOT NULL,
    resume_at bigint,
    started_at bigint,
    ended_at bigint,
    reason text,
    version_pk bigint,
    return_length integer,
    rendered_map_index text,
    factor_lengths text,
    overrides text,
    CONSTRAINT task_instance_final_check CHECK (((state < 100) OR (ended_at IS NOT NULL)))
)
WITH (fillfactor='80');
CREATE TABLE task_name (
    dag_pk bigint NOT NULL,
    task_no integer NOT NULL,
    task_id text NOT NULL
);
CREATE TABLE task_state_store (
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint,
    CONSTRAINT task_state_store_size_check CHECK ((length(value) <= 16777216))
);
CREATE TABLE trace_cursor (
    only_row smallint NOT NULL,
    ended_at bigint NOT NULL,
    run_pk bigint NOT NULL,
    CONSTRAINT trace_cursor_only_row_check CHECK ((only_row = 1))
);
CREATE TABLE trigger (
    trigger_pk bigint NOT NULL,
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    defer_seq integer NOT NULL,
    dag_pk bigint NOT NULL,
    classpath text NOT NULL,
    kwargs text NOT NULL,
    next_method text,
    next_kwargs text,
    queue text,
    due_at bigint,
    due_in_s double precision,
    timeout_at bigint,
    timeout_s double precision,
    ends_task boolean DEFAULT false NOT NULL,
    held_slots integer NOT NULL,
    fired text,
    sent boolean DEFAULT false NOT NULL,
    triggerer text,
    begun boolean DEFAULT false NOT NULL,
    priority integer NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE trigger_end (
    trigger_pk bigint NOT NULL,
    triggerer text,
    on_kill boolean DEFAULT false NOT NULL,
    told boolean DEFAULT false NOT NULL,
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    dag_pk bigint NOT NULL,
    classpath text NOT NULL,
    kwargs text NOT NULL,
    queue text
);
CREATE SEQUENCE trigger_trigger_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE trigger_trigger_pk_seq OWNED BY trigger.trigger_pk;
CREATE TABLE triggerer (
    id text NOT NULL,
    host text NOT NULL,
    capacity integer NOT NULL,
    queues text DEFAULT 'null'::text NOT NULL,
    beat_at bigint NOT NULL,
    fenced boolean DEFAULT false NOT NULL,
    counted text DEFAULT '{}'::text NOT NULL
);
CREATE TABLE variable (
    key text NOT NULL,
    value text NOT NULL,
    description text,
    encrypted boolean DEFAULT false NOT NULL
);
CREATE TABLE worker (
    id text NOT NULL,
    host text NOT NULL,
    address text NOT NULL,
    slots integer NOT NULL,
    beat_at bigint NOT NULL,
    lost boolean DEFAULT false NOT NULL
);
CREATE TABLE xcom (
    xcom_pk bigint NOT NULL,
    run_pk bigint NOT NULL,
    task_no integer NOT NULL,
    map_index integer NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    CONSTRAINT xcom_size_check CHECK ((length(value) <= 16777216))
);
CREATE SEQUENCE xcom_xcom_pk_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE xcom_xcom_pk_seq OWNED BY xcom.xcom_pk;
ALTER TABLE ONLY account ALTER COLUMN account_pk SET DEFAULT nextval('account_account_pk_seq'::regclass);
ALTER TABLE ONLY alert ALTER COLUMN alert_pk SET DEFAULT nextval('alert_alert_pk_seq'::regclass);
ALTER TABLE ONLY alert_delivery ALTER COLUMN delivery_pk SET DEFAULT nextval('alert_delivery_delivery_pk_seq'::regclass);
ALTER TABLE ONLY alert_event ALTER COLUMN event_pk SET DEFAULT nextval('alert_event_event_pk_seq'::regclass);
ALTER TABLE ONLY api_token ALTER COLUMN token_pk SET DEFAULT nextval('api_token_token_pk_seq'::regclass);
ALTER TABLE ONLY asset ALTER COLUMN asset_pk SET DEFAULT nextval('asset_asset_pk_seq'::regclass);
ALTER TABLE ONLY asset_alias ALTER COLUMN alias_pk SET DEFAULT nextval('asset_alias_alias_pk_seq'::regclass);
ALTER TABLE ONLY asset_event ALTER COLUMN event_pk SET DEFAULT nextval('asset_event_event_pk_seq'::regclass);
ALTER TABLE ONLY asset_trigger ALTER COLUMN asset_trigger_pk SET DEFAULT nextval('asset_trigger_asset_trigger_pk_seq'::regclass);
ALTER TABLE ONLY backfill ALTER COLUMN backfill_pk SET DEFAULT nextval('backfill_backfill_pk_seq'::regclass);
ALTER TABLE ONLY change_journal ALTER COLUMN change_pk SET DEFAULT nextval('change_journal_change_pk_seq'::regclass);
ALTER TABLE ONLY dag ALTER COLUMN dag_pk SET DEFAULT nextval('dag_dag_pk_seq'::regclass);
ALTER TABLE ONLY dag_run ALTER COLUMN run_pk SET DEFAULT nextval('dag_run_run_pk_seq'::regclass);
ALTER TABLE ONLY dag_version ALTER COLUMN version_pk SET DEFAULT nextval('dag_version_version_pk_seq'::regclass);
ALTER TABLE ONLY event_log ALTER COLUMN event_pk SET DEFAULT nextval('event_log_event_pk_seq'::regclass);
ALTER TABLE ONLY file ALTER COLUMN file_pk SET DEFAULT nextval('file_file_pk_seq'::regclass);
ALTER TABLE ONLY login_session ALTER COLUMN session_pk SET DEFAULT nextval('login_session_session_pk_seq'::regclass);
ALTER TABLE ONLY mail ALTER COLUMN mail_pk SET DEFAULT nextval('mail_mail_pk_seq'::regclass);
ALTER TABLE ONLY request ALTER COLUMN request_pk SET DEFAULT nextval('request_request_pk_seq'::regclass);
ALTER TABLE ONLY trigger ALTER COLUMN trigger_pk SET DEFAULT nextval('trigger_trigger_pk_seq'::regclass);
ALTER TABLE ONLY xcom ALTER COLUMN xcom_pk SET DEFAULT nextval('xcom_xcom_pk_seq'::regclass);
INSERT INTO account VALUES (1, 'ada', 'ada', '$argon2id$v=19$m=19456,t=2,p=1$A9GxXU7kDiO2rFTuOmpVJQ$a2fnHa1jKlD2qIbSrS8axb8h5ibY/RwPHKc8y64psOI', 'operator', 0, 1736253011097995);
INSERT INTO alembic_version VALUES ('0031');
INSERT INTO attempt VALUES (1, 0, -1, 1, 'fc436164-dba1-4709-a6c2-788bfca8a675', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253027886533, 1736253027887575, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=extract.attempt=1.log');
INSERT INTO attempt VALUES (1, 1, 0, 1, '77db6228-e4be-48cb-a81a-7bb54f7bd35b', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253028078874, 1736253028080032, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=double.map_index=0.attempt=1.log');
INSERT INTO attempt VALUES (1, 1, 2, 1, '78d22daf-4148-40df-8920-6940c5397766', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253028150222, 1736253028151192, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=double.map_index=2.attempt=1.log');
INSERT INTO attempt VALUES (1, 1, 1, 1, 'a76d1259-d675-49ca-b477-2fbd9d2ecbd0', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253028182876, 1736253028184026, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=double.map_index=1.attempt=1.log');
INSERT INTO attempt VALUES (1, 2, -1, 1, 'dd0ff75a-83e0-40e1-8776-608f3a3c77dd', 1, 'task', 'deferred', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253028579385, 1736253028581807, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=closed.attempt=1.log');
INSERT INTO attempt VALUES (1, 2, -1, 2, '7e3c6a7b-24e4-4cca-8565-004689822c57', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253028579385, 1736253029091989, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=closed.attempt=2.log');
INSERT INTO attempt VALUES (1, 3, 1, 1, 'cc1401db-51fa-4692-870c-5e5ba941602b', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253029406078, 1736253029407176, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=load.map_index=1.attempt=1.log');
INSERT INTO attempt VALUES (1, 3, 2, 1, '2b8a0c37-d820-433c-bae8-550df9fae37b', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253029461270, 1736253029462059, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=load.map_index=2.attempt=1.log');
INSERT INTO attempt VALUES (1, 3, 0, 1, '37e6f17b-302a-4d76-a431-7d118f5f7dc5', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253029443130, 1736253029443959, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=load.map_index=0.attempt=1.log');
INSERT INTO attempt VALUES (2, 1, -1, 1, 'f8a9ed2c-46e7-4893-b719-e9fd67a21caa', 1, 'task', 'deferred', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253029634525, 1736253029635164, NULL, 'dag_id=inventory/run_id=scheduled__2025-01-07T12:00:00+00:00/task_id=flagged.attempt=1.log');
INSERT INTO attempt VALUES (1, 4, -1, 1, '61c86797-11cf-422b-8334-6cb0451ebccc', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253029646878, 1736253029817030, NULL, 'dag_id=orders/run_id=scheduled__2025-01-06T06:00:00+00:00/task_id=report.attempt=1.log');
INSERT INTO attempt VALUES (2, 0, -1, 1, '61e63fd1-e593-4a65-94a8-83034adaf119', 1, 'task', 'deferred', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253029804546, 1736253029841070, NULL, 'dag_id=inventory/run_id=scheduled__2025-01-07T12:00:00+00:00/task_id=delivered.attempt=1.log');
INSERT INTO attempt VALUES (3, 0, -1, 1, '3df4c521-e65e-4243-8c28-a45a5f33b6b2', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253030273563, 1736253030279027, NULL, 'dag_id=orders/run_id=scheduled__2025-01-07T06:00:00+00:00/task_id=extract.attempt=1.log');
INSERT INTO attempt VALUES (3, 1, 0, 1, '0eba345f-d62d-4e88-bfdc-c6978e60e76b', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253030425633, 1736253030426545, NULL, 'dag_id=orders/run_id=scheduled__2025-01-07T06:00:00+00:00/task_id=double.map_index=0.attempt=1.log');
INSERT INTO attempt VALUES (3, 1, 1, 1, '51112bd9-6e35-4d58-b049-bf33d1d33156', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253030391923, 1736253030481354, NULL, 'dag_id=orders/run_id=scheduled__2025-01-07T06:00:00+00:00/task_id=double.map_index=1.attempt=1.log');
INSERT INTO attempt VALUES (3, 1, 2, 1, '3612812c-be53-4841-acce-5bd071edde63', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253030442978, 1736253030443812, NULL, 'dag_id=orders/run_id=scheduled__2025-01-07T06:00:00+00:00/task_id=double.map_index=2.attempt=1.log');
INSERT INTO attempt VALUES (3, 2, -1, 1, '46406d97-ace3-4e78-bfea-5d844e0bf3fe', 1, 'task', 'deferred', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253030767846, 1736253030836888, NULL, 'dag_id=orders/run_id=scheduled__2025-01-07T06:00:00+00:00/task_id=closed.attempt=1.log');
INSERT INTO attempt VALUES (4, 0, -1, 1, 'eb82342d-778e-44d7-b8f9-72798a0dcecb', 1, 'task', 'success', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253038136305, 1736253038180563, NULL, 'dag_id=reports/run_id=first/task_id=read.attempt=1.log');
INSERT INTO attempt VALUES (4, 1, -1, 1, '3ed07a60-7622-42fd-bb5a-55955c46dcac', 1, 'task', 'deferred', NULL, '586843de-0acc-417b-aea0-bd668ae5a7b9', 1736253038217810, 1736253038218645, NULL, 'dag_id=reports/run_id=first/task_id=settled.attempt=1.log');
INSERT INTO change_journal VALUES (1, 1736253022972414, '[["d",1,"updated",null],["d",2,"updated",null]]');
INSERT INTO change_journal VALUES (2, 1736253023203011, '[["d",3,"updated",null]]');
INSERT INTO change_journal VALUES (3, 1736253024181652, '[["r",1,1,1,"scheduled__2025-01-06T06:00:00+00:00"]]');
INSERT INTO change_journal VALUES (4, 1736253024272306, '[["r",1,1,2,"scheduled__2025-01-06T06:00:00+00:00"],["t",1,0,-1,1,0]]');
INSERT INTO change_journal VALUES (5, 1736253024368314, '[["t",1,0,-1,2,1]]');
INSERT INTO change_journal VALUES (6, 1736253027924363, '[["t",1,0,-1,3,1]]');
INSERT INTO change_journal VALUES (7, 1736253027968305, '[["t",1,0,-1,100,1],["t",1,1,0,2,1],["t",1,1,1,2,1],["t",1,1,2,2,1]]');
INSERT INTO change_journal VALUES (8, 1736253028124445, '[["t",1,1,0,3,1]]');
INSERT INTO change_journal VALUES (9, 1736253028199266, '[["r",2,2,1,"scheduled__2025-01-07T12:00:00+00:00"]]');
INSERT INTO change_journal VALUES (10, 1736253028277225, '[["r",2,2,2,"scheduled__2025-01-07T12:00:00+00:00"],["t",2,0,-1,2,1],["t",2,1,-1,2,1]]');
INSERT INTO change_journal VALUES (11, 1736253028352290, '[["t",1,1,1,100,1],["t",1,1,2,100,1],["t",1,1,0,100,1],["t",1,2,-1,2,1]]');
INSERT INTO change_journal VALUES (12, 1736253028449258, '[["t",1,2,-1,3,1]]');
INSERT INTO change_journal VALUES (13, 1736253028941278, '[["t",1,2,-1,2,1]]');
INSERT INTO change_journal VALUES (14, 1736253029036292, '[["t",1,2,-1,3,1]]');
INSERT INTO change_journal VALUES (15, 1736253029272373, '[["t",1,2,-1,100,1],["t",1,3,0,2,1],["t",1,3,1,2,1],["t",1,3,2,2,1]]');
INSERT INTO change_journal VALUES (16, 1736253029348431, '[["t",1,3,0,3,1]]');
INSERT INTO change_journal VALUES (17, 1736253029557838, '[["t",1,3,2,100,1],["t",1,3,1,100,1],["t",1,3,0,100,1],["t",1,4,-1,2,1]]');
INSERT INTO change_journal VALUES (18, 1736253029632356, '[["t",2,0,-1,3,1]]');
INSERT INTO change_journal VALUES (19, 1736253029668556, '[["t",1,4,-1,3,1],["t",2,1,-1,3,1]]');
INSERT INTO change_journal VALUES (20, 1736253029830277, '[["t",2,1,-1,6,1]]');
INSERT INTO change_journal VALUES (21, 1736253029949107, '[["t",1,4,-1,100,1],["t",2,0,-1,6,1],["r",1,1,100,"scheduled__2025-01-06T06:00:00+00:00"]]');
INSERT INTO change_journal VALUES (22, 1736253030032884, '[["r",1,3,1,"scheduled__2025-01-07T06:00:00+00:00"]]');
INSERT INTO change_journal VALUES (23, 1736253030067172, '[["r",1,3,2,"scheduled__2025-01-07T06:00:00+00:00"],["t",3,0,-1,2,1]]');
INSERT INTO change_journal VALUES (24, 1736253030228230, '[["t",3,0,-1,3,1]]');
INSERT INTO change_journal VALUES (25, 1736253030308118, '[["t",3,0,-1,100,1],["t",3,1,0,2,1],["t",3,1,1,2,1],["t",3,1,2,2,1]]');
INSERT INTO change_journal VALUES (26, 1736253030414963, '[["t",3,1,0,3,1],["t",3,1,1,3,1],["t",3,1,2,3,1]]');
INSERT INTO change_journal VALUES (27, 1736253030449171, '[["t",3,1,0,100,1]]');
INSERT INTO change_journal VALUES (28, 1736253030541733, '[["t",3,1,1,100,1],["t",3,1,2,100,1],["t",3,2,-1,2,1]]');
INSERT INTO change_journal VALUES (29, 1736253030624436, '[["t",3,2,-1,3,1]]');
INSERT INTO change_journal VALUES (30, 1736253030867562, '[["t",3,2,-1,6,1]]');
INSERT INTO change_journal VALUES (31, 1736253037593825, '[["r",3,4,1,"first"]]');
INSERT INTO change_journal VALUES (32, 1736253037637677, '[["r",3,4,2,"first"],["t",4,0,-1,2,1]]');
INSERT INTO change_journal VALUES (33, 1736253038144638, '[["t",4,0,-1,3,1]]');
INSERT INTO change_journal VALUES (34, 1736253038183684, '[["t",4,0,-1,100,1],["t",4,1,-1,2,1]]');
INSERT INTO change_journal VALUES (35, 1736253038206807, '[["t",4,1,-1,3,1]]');
INSERT INTO change_journal VALUES (36, 1736253038232836, '[["t",4,1,-1,6,1]]');
INSERT INTO change_journal VALUES (37, 1736253040557388, '[["r",3,5,1,"second"]]');
INSERT INTO connection VALUES ('warehouse', 'postgres', 'warehouse.example', 'stock', 'ada', 'gAAAAAAAAAAAkuZX3WJHkfMra6AM9ZAWUFVNBjLF1Dz9qigOzjleh7SnkOarpFzMrHAt64pKgPC4l7yhW-hJJEnkEzNAAm1RjA==', 5432, NULL, NULL, true);
INSERT INTO dag VALUES (3, 'reports', 5, 4, 3, '2e57d9eb8c529b86c0f93030e0deb82a', false, true, 1, NULL, NULL, NULL, NULL, NULL, NULL, 1736253023105756);
INSERT INTO dag VALUES (2, 'inventory', 54, 2, 2, '12a9651da61c8d216bc4f8673b82f6c4', false, true, 2, '{"run_after":1736251200000000,"interval_start":1736208000000000,"interval_end":1736251200000000}', 1736294400000000, '{"run_id":"scheduled__2025-01-08T00:00:00+00:00","run_after":1736294400000000,"interval_start":1736251200000000,"interval_end":1736294400000000}', 'd1bdd9eb7aa3374a8200df4b7e45e641', NULL, NULL, 1736253022649086);
INSERT INTO dag VALUES (1, 'orders', 46, 1, 1, '9f4e097f9877e5495f02106bc84479bc', false, true, 3, '{"run_after":1736229600000000,"interval_start":1736143200000000,"interval_end":1736229600000000}', 1736316000000000, '{"run_id":"scheduled__2025-01-08T06:00:00+00:00","run_after":1736316000000000,"interval_start":1736229600000000,"interval_end":1736316000000000}', 'abaa84b344dbaa975735e4a5e043ef55', NULL, NULL, 1736253022649086);
INSERT INTO dag_group VALUES (0, NULL, 1);
INSERT INTO dag_group VALUES (1, NULL, 1);
INSERT INTO dag_group VALUES (2, NULL, 1);
INSERT INTO dag_group VALUES (3, NULL, 1);
INSERT INTO dag_group VALUES (4, NULL, 1);
INSERT INTO dag_group VALUES (5, NULL, 1);
INSERT INTO dag_group VALUES (6, NULL, 1);
INSERT INTO dag_group VALUES (7, NULL, 1);
INSERT INTO dag_group VALUES (8, NULL, 1);
INSERT INTO dag_group VALUES (9, NULL, 1);
INSERT INTO dag_group VALUES (10, NULL, 1);
INSERT INTO dag_group VALUES (11, NULL, 1);
INSERT INTO dag_group VALUES (12, NULL, 1);
INSERT INTO dag_group VALUES (13, NULL, 1);
INSERT INTO dag_group VALUES (14, NULL, 1);
INSERT INTO dag_group VALUES (15, NULL, 1);
INSERT INTO dag_group VALUES (16, NULL, 1);
INSERT INTO dag_group VALUES (17, NULL, 1);
INSERT INTO dag_group VALUES (18, NULL, 1);
INSERT INTO dag_group VALUES (19, NULL, 1);
INSERT INTO dag_group VALUES (20, NULL, 1);
INSERT INTO dag_group VALUES (21, NULL, 1);
INSERT INTO dag_group VALUES (22, NULL, 1);
INSERT INTO dag_group VALUES (23, NULL, 1);
INSERT INTO dag_group VALUES (24, NULL, 1);
INSERT INTO dag_group VALUES (25, NULL, 1);
INSERT INTO dag_group VALUES (26, NULL, 1);
INSERT INTO dag_group VALUES (27, NULL, 1);
INSERT INTO dag_group VALUES (28, NULL, 1);
INSERT INTO dag_group VALUES (29, NULL, 1);
INSERT INTO dag_group VALUES (30, NULL, 1);
INSERT INTO dag_group VALUES (31, NULL, 1);
INSERT INTO dag_group VALUES (32, NULL, 1);
INSERT INTO dag_group VALUES (33, NULL, 1);
INSERT INTO dag_group VALUES (34, NULL, 1);
INSERT INTO dag_group VALUES (35, NULL, 1);
INSERT INTO dag_group VALUES (36, NULL, 1);
INSERT INTO dag_group VALUES (37, NULL, 1);
INSERT INTO dag_group VALUES (38, NULL, 1);
INSERT INTO dag_group VALUES (39, NULL, 1);
INSERT INTO dag_group VALUES (40, NULL, 1);
INSERT INTO dag_group VALUES (41, NULL, 1);
INSERT INTO dag_group VALUES (42, NULL, 1);
INSERT INTO dag_group VALUES (43, NULL, 1);
INSERT INTO dag_group VALUES (44, NULL, 1);
INSERT INTO dag_group VALUES (45, NULL, 1);
INSERT INTO dag_group VALUES (46, NULL, 1);
INSERT INTO dag_group VALUES (47, NULL, 1);
INSERT INTO dag_group VALUES (48, NULL, 1);
INSERT INTO dag_group VALUES (49, NULL, 1);
INSERT INTO dag_group VALUES (50, NULL, 1);
INSERT INTO dag_group VALUES (51, NULL, 1);
INSERT INTO dag_group VALUES (52, NULL, 1);
INSERT INTO dag_group VALUES (53, NULL, 1);
INSERT INTO dag_group VALUES (54, NULL, 1);
INSERT INTO dag_group VALUES (55, NULL, 1);
INSERT INTO dag_group VALUES (56, NULL, 1);
INSERT INTO dag_group VALUES (57, NULL, 1);
INSERT INTO dag_group VALUES (58, NULL, 1);
INSERT INTO dag_group VALUES (59, NULL, 1);
INSERT INTO dag_group VALUES (60, NULL, 1);
INSERT INTO dag_group VALUES (61, NULL, 1);
INSERT INTO dag_group VALUES (62, NULL, 1);
INSERT INTO dag_group VALUES (63, NULL, 1);
INSERT INTO dag_run VALUES (2, 2, 54, 'scheduled__2025-01-07T12:00:00+00:00', '1736208000000000', 'scheduled', 1736208000000000, 1736208000000000, 1736251200000000, 1736251200000000, 2, 2, NULL, '{}', 1736253028036685, 1736253028036685, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO dag_run VALUES (1, 1, 46, 'scheduled__2025-01-06T06:00:00+00:00', '1736056800000000', 'scheduled', 1736056800000000, 1736056800000000, 1736143200000000, 1736143200000000, 1, 100, NULL, '{}', 1736253023677791, 1736253023677791, 1736253029864664, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO dag_run VALUES (3, 1, 46, 'scheduled__2025-01-07T06:00:00+00:00', '1736143200000000', 'scheduled', 1736143200000000, 1736143200000000, 1736229600000000, 1736229600000000, 1, 2, NULL, '{}', 1736253029864664, 1736253029864664, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO dag_run VALUES (4, 3, 5, 'first', NULL, 'manual', NULL, 1736253037572372, 1736253037572372, 1736253037572372, 3, 2, NULL, '{}', 1736253037572372, 1736253037618865, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO dag_run VALUES (5, 3, 5, 'second', NULL, 'manual', NULL, 1736253040535611, 1736253040535611, 1736253040535611, 3, 1, NULL, '{}', 1736253040535611, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL);
INSERT INTO dag_source VALUES ('a2865d8839e8e15a8944e8dd975d8740bef081e5b2b0a2eb22062b7d2e1ff47e', '\x789c7553db6edb300c7df757107ab2372f7052b41802a858b00efd8076d8c330188ac534466dc990e83659d17f1f2dd949b3a67e1064f21cf2f02221c40a6e56b7600d2858f775435f6a0354b7486adde0125ad575a881947ff4b0c68d7508ca68501b42c71c8fc65b07b45504cfaa260f0c617b6b5b3434134224c9c6d916b4221ce242dd76d611fcbcff9e1f8c7948a9b12135c21f8c6d59d408668979d0f0d639ab5483462be727d82fc447b6f81394edd029b247d40d27bde7747741facaef4d75423854ff865137fb2459ddfeb80379949a6ab5f7f2e2eab228b22479ae693b084d13e04f58a7d17991873f5f6d51f70dca102955244571b52c0a91c354849cc4a7590eb5e1ee3ea946fe976b9e656340528ecaa17d72ea61ba28169739cc73e093fed666632537792470e48fe05ff95c9ca1548aaa6ddfc97bd763b4b46a57aa8aea272c5d6f584e9e64cb24b8be85e90c378d1bc01d3906a6ec85f17348bd33f09b1372b28b3fe768daf6dcf6940beff13d75019f20b8ce511babf447c46086cf303f4774388c3852fd7baeefdbc917d951a3e63d88b719ee3a7e1011240f8567b1858df5017b66e7d243aa414f596b29225c0cabee1e90ca614e52bcbc0cef4495d352943c4baea65595b37e76dc90aded1dcfa4c8e0f555c417657b92c3d68654d989feebeb515db00eed0b4287cb694923e1a420264746125b155a182d59f20f362d5cc0', 1736253022649086);
INSERT INTO dag_source VALUES ('93ba5d4a56760a9c75c8ccdcf114c90a2928f2389ba7449d7e16abf58ef12cc4', '\x789c7d52c16adc3010bdfb2b069dec62dcdd0d6921a0d0a54dd27bd25e4a59d4f5d816b12533961cb621ffde9123db2924d1499a37efe9cd6384107bf8b6bf016b4081d31d3af5a745b0153ffbd6d7da5c8076039037f0a0c2adb2c458a55bcc419932be1de9ba460a44d7200caac3c82f8410495291eda0540ec31fa0bbde92831f775ff3a5984fdf97d83a15db59b9433a3ccbcc9cab11e9f4dd7a1a72b86e557d8b66b01419b5b19d5d5a792e1655c3fd4bb0b03d92729686b9ed9a479955f63757b720572769a94e833cfb74bed96449f2a05d1354d304f8086d4634ac7412f954188e0d96be45b97a4cb7bb2c824e913b8461e53c71badbecce73d8e6f0997dfed5a6b29223890434e53beddbb3572847e58e8defe51d79cc93ec2299aa5fa608c2adc40a8ed61b973206f1bc12dc4f453aac41b234113a4f8c3375068b1a5d2a8606db11079165f00176cf845f0b6d8d365d6ae10447075d4ac1216b0e0bcb18e1628a89bd728d148f8f302a2a46d57a2c1acbcbf3f4f4f12d1a0f8844c15dcce025d8db7b3cf004482c2637c5f67f38446cbd93610556245bafebb6a58bff8a6b75b00186375e8a295d7e47da6fb8bc9c134ffe01d0bf07be', 1736253022649086);
INSERT INTO dag_source VALUES ('d3cd6013b780e7a6d276b6f1ffd3ac079a2c0ce2bf0dffd8a55733b6954b3ad5', '\x789c6d914f6bc3300cc5effe14c2a70442e818eba1e0b18c8eeeb44b770f5eac36a68dd559caba7efbd9fdbb430506c393dfd34fd65a37306f16b0f7d2d3286081bb1eddb8c5195040886380bdf5c215d8e0d221e9318267f81e7144075fd8fb2478a9b5d64aad220de0aca0f801c10f3b8a02f9ee702bf6acaf030d142e6a8aaf402c6ffe8b35ed305aa1c897b6cf6432cf264b0c4cb1e143e8946a166f4b30b784c2d9039bc7e9d364522a95a9b27fa1236613d6d595cf7c24be0a06fbdbda4efc0fb68995cd4339530a52bd1c47ca37872b88685d912438d71d8e57cbf84eb451d7a68832c67015ea354adb510898f228147a6f23a6ad33eab2ee89e5f4f21405cfcf77918b3c56eb9dd18c225b7409e9486e6e3b489e91cdb4ac8e7b49df6af29a4af507f726a40c', 1736253023105756);
INSERT INTO dag_version VALUES (1, 1, 1, '7f3a3e243c886f0f3aceaba0710661af', '\x7801b555cd6edb300c7e1543a70d3006af6ed3c1a715eb1bac3b0d81c04874a3459604494ee20579f791b65324fbc1b0a0f3c9a644eafba1e883d0f02c8d168df051634ca214d9749861655134071120af69f1118c1d684d43060e43a660b568aa6a4ef8ee1ded175f9e3e51c0b88c710b56341f16b755f5ae2a85028b4e43e4e48d717ce00e7143313e52c39044f3f5ae5c2c8fa5f04eaebd3514a45d696382a060eabb0e22473463292017e3f965e15db1ea93719852c1850adf165c7b2c4ab531a9684236de51f2c39c56e016e3c0fb8b3704faed5fcb2870728532a935eade2211c8b1c752048cc66ba34edfa0b2d9a28cbd4bd29ace9050aeb7b614abded86c08c394d77a6bfd2e8d1b45d3824d546c0d490688d9305a52640e2baf595c12ea3902558368322931d565bb26f5f99b94ca9036ace6617c9bccc57d8e848c2a78020cd99311e223efa450c41c07a9d1c22029b19e1c9ba2b80fe4accb06ac5c81daf8b615cde828b62d4e5c03293021ba239f32e197dc1fefefeb4555dfdd54f3530a72fb65a5aeef17a79563798e55fb9e9befb750fb907244e8889e38715abe2683dbeb1810b77d0097c6263b8896b4f67499461386c0e6ed95ef88134b7e69c97179bce4afac4fd45f17fc1f21e31319fd195df2f1210d4ed186733566d55e558cfa5a314c9269443a75fb253febe12776a7463ce7f3a2c2ff2076732db17f767946ff8bc911838f7fb88fe7328c625d6dea5597914ebb268f677c56eb3e9c26dc3793e937c013659c171dece5d970a4f9401dbe73c893084c6c691a524b6b9302cf21071ddf9af9a774fc01b1852b30', '9f4e097f9877e5495f02106bc84479bc', 1736253022649086, 'a2865d8839e8e15a8944e8dd975d8740bef081e5b2b0a2eb22062b7d2e1ff47e', NULL, NULL);
INSERT INTO dag_version VALUES (2, 2, 1, 'e268d31df17272ab2e05605dfd6929ef', '\x7801d5533d6fdb3010fd2f9c8540b163d7d5d4a545f78c41419cc9a3740d4512e4d1a96bf8bff724414e824ecd564de27dbff7ee2eca42afc9aa4e513861e098cfaa514c23321c3daaeea212f0207e17f38859275f7b0a775f4f98cfdf63cd45c22d304c91c3fceeee37d746953a8e20c53af53e148bc99498621097e41a08fa88ba98016df5289370aed8a88499a225b3bec1309d50e71a8af63412ab2e54ef1b75ace499a49a035f24d145efe34b99236fc6018a4e9099a6c6e56636d10a446570b7b79fb7eee160f6fbcdee2063f519a43c646281b0349a48f91d83244c6f81c8509ea5d6d365fe5b58b4e865cc2c381a15050308a3d2e11b797cc450e4d1a88c9ccf5a22e1ac257fdbb677ed6ac55f495a0426f0fa08e6393aa7bad98fcee1c241126696c136c2330b2c0d42c7fda7ed7ed31edaf56b1406fbead93ddc5c8da2a2cb32ce4cf7b5798bc179e8fbbf1088f1bf4160620dfc5e812f935a62aaa97046184537f556ac15f48f55897fd5e723425ca5db47f2a6b36133d4b45ec74f6296e3946d9a7725be049cd60e283b3906816da9a469df028cd3c6bf1efbf50fe372517f', '12a9651da61c8d216bc4f8673b82f6c4', 1736253022649086, '93ba5d4a56760a9c75c8ccdcf114c90a2928f2389ba7449d7e16abf58ef12cc4', NULL, NULL);
INSERT INTO dag_version VALUES (3, 3, 1, '67bb6ef88e3858e97caa639955c46b27', '\x78019592414fc3300c85ffca94738506dc7a02893317b82114798dbb19d224b2dd6d65da7fc769b5691cb9358e9ff3bde79e5c80ada7e05ac75832abb8c6290da8b089e8da932ba03bbb7d1d637cbfd61b9329d8f5b971320e03f0547b72429307948ea928e5548bb8476e567854e40471a54cdb2db2ac728a93757790fc06bd743b0c634423e9210a36ae20530ed45d0bd029edd1f398c4471a485d9b8caa719b91a2923da63c9ab0cf31e683cc8d57f10ec41760a58a25d7729783b974c6b165b069c0a46665995b73f8a99ee6b35955906fd37e9ce6af4b6c104c9e0d1734b30d7baa6d5662549e7cc0089337d5e37a7db7be54f1586c705282e837d07de7be77ed7c8f7d8f8bd162fe179c877373fba4a06a4deacfab75392f1815de3049e6679952671d63116584c1a80dc8503f2f08ff0523f1328f5e723edba02f52db6a3537a30f70f4374b72edbd111e12d65080b8b7ad18512029359204438dfef2db9d7f015ddce513', '2e57d9eb8c529b86c0f93030e0deb82a', 1736253023105756, 'd3cd6013b780e7a6d276b6f1ffd3ac079a2c0ce2bf0dffd8a55733b6954b3ad5', NULL, NULL);
INSERT INTO event_log VALUES (1, 1736253003641270, 'variable_created', NULL, NULL, NULL, -1, 'cli:root', '{"variable": "shelves", "after": {"value": "***"}}', NULL);
INSERT INTO event_log VALUES (2, 1736253005736009, 'variable_created', NULL, NULL, NULL, -1, 'cli:root', '{"variable": "home", "after": {"value": "***"}}', NULL);
INSERT INTO event_log VALUES (3, 1736253007899882, 'connection_created', NULL, NULL, NULL, -1, 'cli:root', '{"connection": "warehouse", "after": {"conn_type": "postgres", "host": "warehouse.example", "schema": "stock", "login": "ada", "password": "***", "port": 5432}}', NULL);
INSERT INTO event_log VALUES (4, 1736253011097995, 'account_created', NULL, NULL, NULL, -1, 'cli:root', '{"account": "ada", "after": {"role": "operator"}}', NULL);
INSERT INTO event_log VALUES (5, 1736253023677791, 'run_started', 1, 1, NULL, -1, 'scheduler', '', NULL);
INSERT INTO event_log VALUES (6, 1736253028036685, 'run_started', 2, 2, NULL, -1, 'scheduler', '', NULL);
INSERT INTO event_log VALUES (7, 1736253029864664, 'run_ended', 1, 1, NULL, -1, 'scheduler', 'success', NULL);
INSERT INTO event_log VALUES (8, 1736253029864664, 'run_started', 1, 3, NULL, -1, 'scheduler', '', NULL);
INSERT INTO event_log VALUES (9, 1736253037572372, 'run_created', 3, 4, NULL, -1, 'cli:root', 'first', NULL);
INSERT INTO event_log VALUES (10, 1736253037618865, 'run_started', 3, 4, NULL, -1, 'scheduler', '', NULL);
INSERT INTO event_log VALUES (11, 1736253040535611, 'run_created', 3, 5, NULL, -1, 'cli:root', 'second', NULL);
INSERT INTO file VALUES (1, '{HOME}/dags/orders.py', '9f4e097f9877e5495f02106bc84479bc', '[["{HOME}/config/airflow_local_settings.py", "-"], ["{HOME}/dags/orders.py", "18ec515e7dc997b7.18ec51692d6b7159.455.22a944"], ["gnomon:", "04786b5fea4b375a"]]', false, NULL, 1736253022649086, 0.08614416000000347, false, false, '[]', NULL, NULL, NULL);
INSERT INTO file VALUES (2, '{HOME}/dags/inventory.py', '12a9651da61c8d216bc4f8673b82f6c4', '[["{HOME}/config/airflow_local_settings.py", "-"], ["{HOME}/dags/inventory.py", "18ec5122c7cf2d15.18ec51692d65aa8f.36c.22a93f"], ["{HOME}/plugins/former_plugin.py", "18ec5122c33c489f.18ec51692d70547c.760.22a954"], ["gnomon:", "04786b5fea4b375a"]]', false, NULL, 1736253022649086, 0.1712993169994661, false, false, '[]', NULL, NULL, NULL);
INSERT INTO file VALUES (3, '{HOME}/plugins/former_plugin.py', 'd2caf2520ae154450b6ddce202a07063', '[["{HOME}/config/airflow_local_settings.py", "-"], ["{HOME}/plugins/former_plugin.py", "18ec5122c33c489f.18ec51692d70547c.760.22a954"], ["gnomon:", "04786b5fea4b375a"]]', false, NULL, 1736253023105756, 0.08699551800054905, false, false, '[]', NULL, NULL, NULL);
INSERT INTO file VALUES (4, '{HOME}/dags/reports.py', '2e57d9eb8c529b86c0f93030e0deb82a', '[["{HOME}/config/airflow_local_settings.py", "-"], ["{HOME}/dags/reports.py", "18ec50e99e8ab09a.18ec51692d68f4d9.1ee.22a940"], ["gnomon:", "04786b5fea4b375a"]]', false, NULL, 1736253023105756, 0.07289958199999091, false, false, '[]', NULL, NULL, NULL);
INSERT INTO key_check VALUES (1, 'gAAAAAAAAAAA6u8qY4C8uW9HQYg0n9S1sdJdcjmhj88D9H0lz5okYlGnXsYqhKPxWNjESUCOyn-_E4Q0xpO651inOtrlwBTOqg==');
INSERT INTO newest_run VALUES (2, 2, 1736251200000000, 2, 1736253028036685, NULL);
INSERT INTO newest_run VALUES (1, 3, 1736229600000000, 2, 1736253029864664, NULL);
INSERT INTO newest_run VALUES (3, 5, 1736253040535611, 1, NULL, NULL);
INSERT INTO pool VALUES ('default_pool', 128, 0, false, 'Tasks without a pool of their own');
INSERT INTO rendered_fields VALUES (1, 1, 0, '{"op_kwargs": {"value": 1}}');
INSERT INTO rendered_fields VALUES (1, 1, 2, '{"op_kwargs": {"value": 3}}');
INSERT INTO rendered_fields VALUES (1, 1, 1, '{"op_kwargs": {"value": 2}}');
INSERT INTO rendered_fields VALUES (1, 2, -1, '{"target_time": "2025-01-06 16:00:00+00:00"}');
INSERT INTO rendered_fields VALUES (1, 3, 1, '{"op_kwargs": {"value": 4}}');
INSERT INTO rendered_fields VALUES (1, 3, 2, '{"op_kwargs": {"value": 6}}');
INSERT INTO rendered_fields VALUES (1, 3, 0, '{"op_kwargs": {"value": 2}}');
INSERT INTO rendered_fields VALUES (1, 4, -1, '{"op_args": ["LazyXComSequence(<unevaluated length>)"]}');
INSERT INTO rendered_fields VALUES (2, 0, -1, '{"filepath": "{HOME}/delivered", "fs_conn_id": "fs_default"}');
INSERT INTO rendered_fields VALUES (3, 1, 0, '{"op_kwargs": {"value": 1}}');
INSERT INTO rendered_fields VALUES (3, 1, 1, '{"op_kwargs": {"value": 2}}');
INSERT INTO rendered_fields VALUES (3, 1, 2, '{"op_kwargs": {"value": 3}}');
INSERT INTO rendered_fields VALUES (3, 2, -1, '{"target_time": "2025-01-07 16:00:00+00:00"}');
INSERT INTO rendered_fields VALUES (4, 1, -1, '{"delta": "datetime.timedelta(seconds=21600)"}');
INSERT INTO run_tally VALUES (2, 1, 0);
INSERT INTO run_tally VALUES (2, 2, 1);
INSERT INTO run_tally VALUES (1, 100, 1);
INSERT INTO run_tally VALUES (1, 1, 0);
INSERT INTO run_tally VALUES (1, 2, 1);
INSERT INTO run_tally VALUES (3, 2, 1);
INSERT INTO run_tally VALUES (3, 1, 1);
INSERT INTO scheduler VALUES ('1fbfabec-5a86-4b11-baab-3fc73494c96f', 'vm', 1795899887702634, 1795899922152766, true);
INSERT INTO state VALUES ('task', 0, 'no_status');
INSERT INTO state VALUES ('task', 1, 'scheduled');
INSERT INTO state VALUES ('task', 2, 'queued');
INSERT INTO state VALUES ('task', 3, 'running');
INSERT INTO state VALUES ('task', 4, 'up_for_retry');
INSERT INTO state VALUES ('task', 5, 'up_for_reschedule');
INSERT INTO state VALUES ('task', 6, 'deferred');
INSERT INTO state VALUES ('task', 7, 'restarting');
INSERT INTO state VALUES ('task', 8, 'awaiting_input');
INSERT INTO state VALUES ('task', 100, 'success');
INSERT INTO state VALUES ('task', 101, 'failed');
INSERT INTO state VALUES ('task', 102, 'skipped');
INSERT INTO state VALUES ('task', 103, 'upstream_failed');
INSERT INTO state VALUES ('task', 104, 'removed');
INSERT INTO state VALUES ('run', 1, 'queued');
INSERT INTO state VALUES ('run', 2, 'running');
INSERT INTO state VALUES ('run', 100, 'success');
INSERT INTO state VALUES ('run', 101, 'failed');
INSERT INTO task_instance VALUES (1, 0, -1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 5, NULL, 1736253027886533, 1736253027887575, NULL, 1, 3, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (1, 1, 0, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 4, NULL, 1736253028078874, 1736253028080032, NULL, 1, 1, NULL, '[[3]]', NULL);
INSERT INTO task_instance VALUES (1, 1, 2, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 4, NULL, 1736253028150222, 1736253028151192, NULL, 1, 1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (1, 1, 1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 4, NULL, 1736253028182876, 1736253028184026, NULL, 1, 1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (1, 2, -1, 100, 1, 0, 2, NULL, NULL, 1, 'default_pool', 1, 3, NULL, 1736253028579385, 1736253029091989, NULL, 1, NULL, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (1, 3, 0, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 2, NULL, 1736253029443130, 1736253029443959, NULL, 1, -1, NULL, '[[3]]', NULL);
INSERT INTO task_instance VALUES (1, 3, 1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 2, NULL, 1736253029406078, 1736253029407176, NULL, 1, -1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (1, 3, 2, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 2, NULL, 1736253029461270, 1736253029462059, NULL, 1, -1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (2, 1, -1, 6, 1, 0, 1, NULL, NULL, 1, 'default_pool', 1, 2, NULL, 1736253029634525, NULL, NULL, 2, NULL, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (2, 0, -1, 6, 1, 0, 1, NULL, NULL, 1, 'default_pool', 1, 2, NULL, 1736253029804546, NULL, NULL, 2, NULL, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (1, 4, -1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 1, NULL, 1736253029646878, 1736253029817030, NULL, 1, -1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (3, 0, -1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 5, NULL, 1736253030273563, 1736253030279027, NULL, 1, 3, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (3, 1, 0, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 4, NULL, 1736253030425633, 1736253030426545, NULL, 1, 1, NULL, '[[3]]', NULL);
INSERT INTO task_instance VALUES (3, 1, 2, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 4, NULL, 1736253030442978, 1736253030443812, NULL, 1, 1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (3, 1, 1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 4, NULL, 1736253030391923, 1736253030481354, NULL, 1, 1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (3, 2, -1, 6, 1, 0, 1, NULL, NULL, 1, 'default_pool', 1, 3, 1736265600000000, 1736253030767846, NULL, NULL, 1, NULL, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (4, 0, -1, 100, 1, 0, 1, NULL, NULL, 0, 'default_pool', 1, 2, NULL, 1736253038136305, 1736253038180563, NULL, 3, -1, NULL, NULL, NULL);
INSERT INTO task_instance VALUES (4, 1, -1, 6, 1, 0, 1, NULL, NULL, 1, 'default_pool', 1, 1, 1736274637572372, 1736253038217810, NULL, NULL, 3, NULL, NULL, NULL, NULL);
INSERT INTO task_name VALUES (1, 0, 'extract');
INSERT INTO task_name VALUES (1, 1, 'double');
INSERT INTO task_name VALUES (1, 2, 'closed');
INSERT INTO task_name VALUES (1, 3, 'load');
INSERT INTO task_name VALUES (1, 4, 'report');
INSERT INTO task_name VALUES (2, 0, 'delivered');
INSERT INTO task_name VALUES (2, 1, 'flagged');
INSERT INTO task_name VALUES (2, 2, 'count');
INSERT INTO task_name VALUES (3, 0, 'read');
INSERT INTO task_name VALUES (3, 1, 'settled');
INSERT INTO trigger VALUES (4, 3, 2, -1, 1, 1, 'gnomon.operators.triggers.temporal.DateTimeTrigger', 'gAAAAAAAAAAA3XYChfVR-gwj0r9hmm0fT3SGwdAVOxli0yNPQWP_xOqEcH7TXgVbGGuqv34Mm0a8xG3izpzLnfvfYQI1g30Y_g==', 'execute_complete', NULL, NULL, 1736265600000000, NULL, 4889853030860193, 3153600000, false, 0, NULL, false, NULL, false, 3, 1736253030860193);
INSERT INTO trigger VALUES (5, 4, 1, -1, 1, 3, 'gnomon.operators.triggers.temporal.DateTimeTrigger', 'gAAAAAAAAAAASmL69h1o1BhvsvPIcGvwTd35xW9tnDcMIPbuKQluBodtdyln8CynqBAZirrCAIMbKma28L4r7rjlD5eJsxRcvA==', 'execute_complete', NULL, NULL, 1736274637572372, NULL, 4889853038222277, 3153600000, false, 0, NULL, false, NULL, false, 1, 1736253038222277);
INSERT INTO trigger VALUES (2, 2, 1, -1, 1, 2, 'former_plugin.FlagTrigger', 'gAAAAAAAAAAAZQfuA1-4EoXnpFFxbhb1VSYS7aWV2INL4kgNEk8xMD_HB7UyFXO7P_2fgA5yN5jwaGUd1jOG9uDjxhAXna72bp1Gos7SZcTk-GfOHT9Z-Wo=', 'resume', NULL, NULL, NULL, NULL, NULL, NULL, false, 0, NULL, false, NULL, true, 2, 1736253029813638);
INSERT INTO trigger VALUES (3, 2, 0, -1, 1, 2, 'gnomon.operators.triggers.file.FileTrigger', 'gAAAAAAAAAAAxmk5h2GK8OlJlzFrjFEy3m3wkJjnFFqGJOTAfvYUyw0MAVlJqAAh48A8M8toVstgismVufg4wqNhOLytcBmAJMv_dtUWJtW_8a5daUeTM0X_eDyq6-42-4opR7JkLNqyWv8-4vGz0nzeu7QMcU2lIGolVR8Z5VO23kYH6KDEP3TjMuoU5qXxG1UB1lEcq_BJ', 'execute_complete', NULL, NULL, NULL, NULL, 4889853029864664, 3153600000, false, 0, NULL, false, NULL, true, 2, 1736253029864664);
INSERT INTO triggerer VALUES ('b6a8a48d-8f2a-4e67-b505-8472d41046f1', 'vm', 1000, 'null', 1795899921235255, true, '{"triggerer_heartbeat": 5}');
INSERT INTO variable VALUES ('shelves', 'gAAAAAAAAAAA_d8eur6Kma1q_dZn_E0Kq4kMaA5OjbQvvaPGtUNy1QOyAW4uN5S2fIdRYMbhOxhQPq8x_NgW78SUAJBPWqTpag==', NULL, true);
INSERT INTO variable VALUES ('home', 'gAAAAAAAAAAAnBoIgW_2XOB1ZQTjaPRX4vWIRyqRfW_RgGgmiynIAoYj0ENDZ8XkRlvIHD1AnQ5Kbo1ULWtMlym8rimT3UenfQRP9RdUfdpzhbBHgL0w1rQ=', NULL, true);
INSERT INTO worker VALUES ('586843de-0acc-417b-aea0-bd668ae5a7b9', 'vm', '{HOME}/run/worker-586843de-0acc-417b-aea0-bd668ae5a7b9.sock', 32, 1795899922668530, true);
INSERT INTO xcom VALUES (1, 1, 0, -1, 'return_value', '[1, 2, 3]');
INSERT INTO xcom VALUES (2, 1, 1, 0, 'return_value', '2');
INSERT INTO xcom VALUES (3, 1, 1, 2, 'return_value', '6');
INSERT INTO xcom VALUES (4, 1, 1, 1, 'return_value', '4');
INSERT INTO xcom VALUES (5, 1, 3, 1, 'return_value', '5');
INSERT INTO xcom VALUES (6, 1, 3, 2, 'return_value', '7');
INSERT INTO xcom VALUES (7, 1, 3, 0, 'return_value', '3');
INSERT INTO xcom VALUES (8, 1, 4, -1, 'return_value', '15');
INSERT INTO xcom VALUES (9, 3, 0, -1, 'return_value', '[1, 2, 3]');
INSERT INTO xcom VALUES (10, 3, 1, 0, 'return_value', '2');
INSERT INTO xcom VALUES (11, 3, 1, 1, 'return_value', '4');
INSERT INTO xcom VALUES (12, 3, 1, 2, 'return_value', '6');
INSERT INTO xcom VALUES (13, 4, 0, -1, 'return_value', '"warehouse.example"');
SELECT pg_catalog.setval('account_account_pk_seq', 1, true);
SELECT pg_catalog.setval('alert_alert_pk_seq', 1, false);
SELECT pg_catalog.setval('alert_delivery_delivery_pk_seq', 1, false);
SELECT pg_catalog.setval('alert_event_event_pk_seq', 1, false);
SELECT pg_catalog.setval('api_token_token_pk_seq', 1, false);
SELECT pg_catalog.setval('asset_alias_alias_pk_seq', 1, false);
SELECT pg_catalog.setval('asset_asset_pk_seq', 1, false);
SELECT pg_catalog.setval('asset_event_event_pk_seq', 1, false);
SELECT pg_catalog.setval('asset_trigger_asset_trigger_pk_seq', 1, false);
SELECT pg_catalog.setval('backfill_backfill_pk_seq', 1, false);
SELECT pg_catalog.setval('change_journal_change_pk_seq', 37, true);
SELECT pg_catalog.setval('dag_dag_pk_seq', 3, true);
SELECT pg_catalog.setval('dag_run_run_pk_seq', 5, true);
SELECT pg_catalog.setval('dag_version_version_pk_seq', 3, true);
SELECT pg_catalog.setval('event_log_event_pk_seq', 11, true);
SELECT pg_catalog.setval('file_file_pk_seq', 4, true);
SELECT pg_catalog.setval('login_session_session_pk_seq', 1, false);
SELECT pg_catalog.setval('mail_mail_pk_seq', 5, true);
SELECT pg_catalog.setval('request_request_pk_seq', 1, false);
SELECT pg_catalog.setval('trigger_trigger_pk_seq', 5, true);
SELECT pg_catalog.setval('xcom_xcom_pk_seq', 13, true);
ALTER TABLE ONLY account_grant
    ADD CONSTRAINT account_grant_pkey PRIMARY KEY (account_pk, kind, pattern);
ALTER TABLE ONLY account_identity
    ADD CONSTRAINT account_identity_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY account
    ADD CONSTRAINT account_name_key UNIQUE (name_key);
ALTER TABLE ONLY account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_pk);
ALTER TABLE ONLY alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY alert_delivery
    ADD CONSTRAINT alert_delivery_pkey PRIMARY KEY (delivery_pk);
ALTER TABLE ONLY alert_delivery
    ADD CONSTRAINT alert_delivery_uid_key UNIQUE (uid);
ALTER TABLE ONLY alert_event
    ADD CONSTRAINT alert_event_pkey PRIMARY KEY (event_pk);
ALTER TABLE ONLY alert
    ADD CONSTRAINT alert_pkey PRIMARY KEY (alert_pk);
ALTER TABLE ONLY api_server
    ADD CONSTRAINT api_server_pkey PRIMARY KEY (id);
ALTER TABLE ONLY api_token
    ADD CONSTRAINT api_token_pkey PRIMARY KEY (token_pk);
ALTER TABLE ONLY api_token
    ADD CONSTRAINT api_token_uid_key UNIQUE (uid);
ALTER TABLE ONLY asset_alias
    ADD CONSTRAINT asset_alias_name_key UNIQUE (name);
ALTER TABLE ONLY asset_alias
    ADD CONSTRAINT asset_alias_pkey PRIMARY KEY (alias_pk);
ALTER TABLE ONLY asset_event_alias
    ADD CONSTRAINT asset_event_alias_pkey PRIMARY KEY (alias, event_pk);
ALTER TABLE ONLY asset_event
    ADD CONSTRAINT asset_event_pkey PRIMARY KEY (event_pk);
ALTER TABLE ONLY asset_event
    ADD CONSTRAINT asset_event_uid_key UNIQUE (uid);
ALTER TABLE ONLY asset
    ADD CONSTRAINT asset_name_uri_key UNIQUE (name, uri);
ALTER TABLE ONLY asset
    ADD CONSTRAINT asset_pkey PRIMARY KEY (asset_pk);
ALTER TABLE ONLY asset_queue
    ADD CONSTRAINT asset_queue_pkey PRIMARY KEY (dag_pk, leaf, event_pk);
ALTER TABLE ONLY asset_state_store
    ADD CONSTRAINT asset_state_store_pkey PRIMARY KEY (asset, key);
ALTER TABLE ONLY asset_trigger
    ADD CONSTRAINT asset_trigger_identity_key UNIQUE (identity);
ALTER TABLE ONLY asset_trigger
    ADD CONSTRAINT asset_trigger_pkey PRIMARY KEY (asset_trigger_pk);
ALTER TABLE ONLY asset_watcher
    ADD CONSTRAINT asset_watcher_pkey PRIMARY KEY (dag_pk, asset_name, asset_uri, watcher_name, asset_trigger_pk);
ALTER TABLE ONLY attempt
    ADD CONSTRAINT attempt_pkey PRIMARY KEY (run_pk, task_no, map_index, seq);
ALTER TABLE ONLY backfill
    ADD CONSTRAINT backfill_pkey PRIMARY KEY (backfill_pk);
ALTER TABLE ONLY backfill_slot
    ADD CONSTRAINT backfill_slot_pkey PRIMARY KEY (backfill_pk, run_pk);
ALTER TABLE ONLY change_journal
    ADD CONSTRAINT change_journal_pkey PRIMARY KEY (change_pk);
ALTER TABLE ONLY connection
    ADD CONSTRAINT connection_pkey PRIMARY KEY (conn_id);
ALTER TABLE ONLY dag_asset
    ADD CONSTRAINT dag_asset_pkey PRIMARY KEY (dag_pk, role, task_id, leaf);
ALTER TABLE ONLY dag
    ADD CONSTRAINT dag_dag_id_key UNIQUE (dag_id);
ALTER TABLE ONLY dag_edge
    ADD CONSTRAINT dag_edge_pkey PRIMARY KEY (dag_pk, edge_no);
ALTER TABLE ONLY dag_group
    ADD CONSTRAINT dag_group_pkey PRIMARY KEY (group_no);
ALTER TABLE ONLY dag
    ADD CONSTRAINT dag_pkey PRIMARY KEY (dag_pk);
ALTER TABLE ONLY dag_processor
    ADD CONSTRAINT dag_processor_pkey PRIMARY KEY (id);
ALTER TABLE ONLY dag_run_asset_event
    ADD CONSTRAINT dag_run_asset_event_pkey PRIMARY KEY (run_pk, event_pk);
ALTER TABLE ONLY dag_run
    ADD CONSTRAINT dag_run_dag_pk_run_id_key UNIQUE (dag_pk, run_id);
ALTER TABLE ONLY dag_run
    ADD CONSTRAINT dag_run_dag_pk_slot_key_key UNIQUE (dag_pk, slot_key);
ALTER TABLE ONLY dag_run
    ADD CONSTRAINT dag_run_pkey PRIMARY KEY (run_pk);
ALTER TABLE ONLY dag_source
    ADD CONSTRAINT dag_source_pkey PRIMARY KEY (source_hash);
ALTER TABLE ONLY dag_version
    ADD CONSTRAINT dag_version_dag_pk_number_key UNIQUE (dag_pk, number);
ALTER TABLE ONLY dag_version
    ADD CONSTRAINT dag_version_pkey PRIMARY KEY (version_pk);
ALTER TABLE ONLY event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (event_pk);
ALTER TABLE ONLY favorite_dag
    ADD CONSTRAINT favorite_dag_pkey PRIMARY KEY (account, dag_pk);
ALTER TABLE ONLY file
    ADD CONSTRAINT file_path_key UNIQUE (path);
ALTER TABLE ONLY file
    ADD CONSTRAINT file_pkey PRIMARY KEY (file_pk);
ALTER TABLE ONLY hitl_detail
    ADD CONSTRAINT hitl_detail_pkey PRIMARY KEY (run_pk, task_no, map_index, defer_seq);
ALTER TABLE ONLY import_error
    ADD CONSTRAINT import_error_pkey PRIMARY KEY (file_pk, number);
ALTER TABLE ONLY key_check
    ADD CONSTRAINT key_check_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY login_failure
    ADD CONSTRAINT login_failure_pkey PRIMARY KEY (source);
ALTER TABLE ONLY login_session
    ADD CONSTRAINT login_session_pkey PRIMARY KEY (session_pk);
ALTER TABLE ONLY login_session
    ADD CONSTRAINT login_session_secret_hash_key UNIQUE (secret_hash);
ALTER TABLE ONLY mail
    ADD CONSTRAINT mail_key_key UNIQUE (key);
ALTER TABLE ONLY mail
    ADD CONSTRAINT mail_pkey PRIMARY KEY (mail_pk);
ALTER TABLE ONLY newest_run
    ADD CONSTRAINT newest_run_pkey PRIMARY KEY (dag_pk);
ALTER TABLE ONLY note
    ADD CONSTRAINT note_pkey PRIMARY KEY (run_pk, task_no, map_index);
ALTER TABLE ONLY pool
    ADD CONSTRAINT pool_pkey PRIMARY KEY (name);
ALTER TABLE ONLY remote_attempt
    ADD CONSTRAINT remote_attempt_pkey PRIMARY KEY (attempt);
ALTER TABLE ONLY rendered_fields
    ADD CONSTRAINT rendered_fields_pkey PRIMARY KEY (run_pk, task_no, map_index);
ALTER TABLE ONLY request
    ADD CONSTRAINT request_pkey PRIMARY KEY (request_pk);
ALTER TABLE ONLY run_callback
    ADD CONSTRAINT run_callback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY run_deadline
    ADD CONSTRAINT run_deadline_pkey PRIMARY KEY (run_pk, deadline_no);
ALTER TABLE ONLY run_tally
    ADD CONSTRAINT run_tally_pkey PRIMARY KEY (dag_pk, state);
ALTER TABLE ONLY run_wait
    ADD CONSTRAINT run_wait_pkey PRIMARY KEY (down_run, edge_no, up_dag, up_at);
ALTER TABLE ONLY saved_view
    ADD CONSTRAINT saved_view_pkey PRIMARY KEY (account_pk, page, name);
ALTER TABLE ONLY scheduler
    ADD CONSTRAINT scheduler_pkey PRIMARY KEY (id);
ALTER TABLE ONLY service_figures
    ADD CONSTRAINT service_figures_pkey PRIMARY KEY (process_id);
ALTER TABLE ONLY service_lease
    ADD CONSTRAINT service_lease_pkey PRIMARY KEY (name);
ALTER TABLE ONLY state
    ADD CONSTRAINT state_pkey PRIMARY KEY (kind, code);
ALTER TABLE ONLY task_instance
    ADD CONSTRAINT task_instance_pkey PRIMARY KEY (run_pk, task_no, map_index);
ALTER TABLE ONLY task_name
    ADD CONSTRAINT task_name_dag_pk_task_id_key UNIQUE (dag_pk, task_id);
ALTER TABLE ONLY task_name
    ADD CONSTRAINT task_name_pkey PRIMARY KEY (dag_pk, task_no);
ALTER TABLE ONLY task_state_store
    ADD CONSTRAINT task_state_store_pkey PRIMARY KEY (run_pk, task_no, map_index, key);
ALTER TABLE ONLY trace_cursor
    ADD CONSTRAINT trace_cursor_pkey PRIMARY KEY (only_row);
ALTER TABLE ONLY trigger_end
    ADD CONSTRAINT trigger_end_pkey PRIMARY KEY (trigger_pk);
ALTER TABLE ONLY trigger
    ADD CONSTRAINT trigger_pkey PRIMARY KEY (trigger_pk);
ALTER TABLE ONLY trigger
    ADD CONSTRAINT trigger_run_pk_task_no_map_index_key UNIQUE (run_pk, task_no, map_index);
ALTER TABLE ONLY triggerer
    ADD CONSTRAINT triggerer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY variable
    ADD CONSTRAINT variable_pkey PRIMARY KEY (key);
ALTER TABLE ONLY worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (id);
ALTER TABLE ONLY xcom
    ADD CONSTRAINT xcom_pkey PRIMARY KEY (xcom_pk);
ALTER TABLE ONLY xcom
    ADD CONSTRAINT xcom_run_pk_task_no_map_index_key_key UNIQUE (run_pk, task_no, map_index, key);
CREATE INDEX account_identity_account ON account_identity USING btree (account_pk);
CREATE INDEX alert_delivery_created ON alert_delivery USING btree (created_at);
CREATE INDEX alert_delivery_due ON alert_delivery USING btree (due_at) WHERE (ended_at IS NULL);
CREATE INDEX alert_delivery_ended ON alert_delivery USING btree (channel, ended_at);
CREATE INDEX alert_delivery_group ON alert_delivery USING btree (channel, group_key, delivery_pk);
CREATE UNIQUE INDEX alert_open ON alert USING btree (rule, subject) WHERE (resolved_at IS NULL);
CREATE INDEX alert_raised ON alert USING btree (raised_at);
CREATE INDEX api_token_account ON api_token USING btree (account_pk);
CREATE INDEX asset_event_asset ON asset_event USING btree (asset_pk, event_pk);
CREATE INDEX asset_trigger_triggerer ON asset_trigger USING btree (triggerer);
CREATE INDEX asset_uri ON asset USING btree (uri);
CREATE INDEX asset_watcher_trigger ON asset_watcher USING btree (asset_trigger_pk);
CREATE UNIQUE INDEX backfill_active ON backfill USING btree (dag_pk) WHERE (ended_at IS NULL);
CREATE INDEX backfill_dag ON backfill USING btree (dag_pk, backfill_pk);
CREATE INDEX backfill_slot_due ON backfill_slot USING btree (backfill_pk, run_after) WHERE (outcome = 'to_reprocess'::text);
CREATE INDEX backfill_unended ON backfill USING btree (group_no) WHERE (ended_at IS NULL);
CREATE INDEX dag_asset_leaf ON dag_asset USING btree (leaf, role);
CREATE INDEX dag_edge_up ON dag_edge USING btree (up_dag);
CREATE INDEX dag_group_owner ON dag_group USING btree (owner);
CREATE INDEX dag_of_file ON dag USING btree (file_pk);
CREATE INDEX dag_of_group ON dag USING btree (group_no);
CREATE INDEX dag_run_asset_event_event ON dag_run_asset_event USING btree (event_pk);
CREATE INDEX dag_run_backfill ON dag_run USING btree (backfill_pk, state, run_after) WHERE (backfill_pk IS NOT NULL);
CREATE INDEX dag_run_ended ON dag_run USING btree (state, ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX dag_run_failed ON dag_run USING btree (run_after, run_pk, dag_pk, ended_at) WHERE (state = 101);
CREATE INDEX dag_run_logical_at ON dag_run USING btree (logical_at, run_pk);
CREATE INDEX dag_run_order ON dag_run USING btree (dag_pk, run_after DESC, run_pk DESC);
CREATE INDEX dag_run_partition_date ON dag_run USING btree (partition_date, run_pk) WHERE (partition_date IS NOT NULL);
CREATE INDEX dag_run_partition_key ON dag_run USING btree (partition_key, run_pk) WHERE (partition_key IS NOT NULL);
CREATE INDEX dag_run_run_after ON dag_run USING btree (run_after, run_pk);
CREATE INDEX dag_run_stands ON dag_run USING btree (dag_pk, stands_for) WHERE (stands_for IS NOT NULL);
CREATE INDEX dag_run_started_at ON dag_run USING btree (started_at, run_pk);
CREATE INDEX dag_run_unfinished ON dag_run USING btree (group_no) WHERE (ended_at IS NULL);
CREATE INDEX dag_run_updated_at ON dag_run USING btree (COALESCE(ended_at, started_at, queued_at), run_pk);
CREATE INDEX dag_version_source ON dag_version USING btree (source_hash) WHERE (source_hash IS NOT NULL);
CREATE INDEX event_log_at ON event_log USING btree (at, event_pk);
CREATE INDEX event_log_dag ON event_log USING btree (dag_pk, event_pk);
CREATE INDEX event_log_marked ON event_log USING btree (at, run_pk) WHERE (kind = 'marked'::text);
CREATE INDEX event_log_passed ON event_log USING btree (dag_pk, event_pk) WHERE (kind = ANY (ARRAY['slot_held'::text, 'slots_passed'::text]));
CREATE INDEX event_log_run ON event_log USING btree (run_pk, event_pk);
CREATE INDEX favorite_dag_dag ON favorite_dag USING btree (dag_pk);
CREATE INDEX hitl_detail_created ON hitl_detail USING btree (created_at, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_dag ON hitl_detail USING btree (dag_pk, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_open ON hitl_detail USING btree (created_at) WHERE (responded_at IS NULL);
CREATE INDEX hitl_detail_responded ON hitl_detail USING btree (responded_at, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_run_after ON hitl_detail USING btree (run_after, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_run_id ON hitl_detail USING btree (run_id, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_state ON hitl_detail USING btree (state, run_pk, task_no, map_index);
CREATE INDEX login_failure_last ON login_failure USING btree (last_at);
CREATE INDEX login_session_account ON login_session USING btree (account_pk);
CREATE INDEX login_session_previous ON login_session USING btree (previous_hash) WHERE (previous_hash IS NOT NULL);
CREATE INDEX login_session_used ON login_session USING btree (used_at);
CREATE INDEX mail_group ON mail USING btree (group_no, mail_pk);
CREATE INDEX remote_attempt_run_pk_idx ON remote_attempt USING btree (run_pk);
CREATE INDEX run_callback_run ON run_callback USING btree (run_pk);
CREATE INDEX run_callback_unfinished ON run_callback USING btree (dag_pk) WHERE (ended_at IS NULL);
CREATE INDEX run_wait_open ON run_wait USING btree (up_group) WHERE (state < 100);
CREATE INDEX run_wait_slot ON run_wait USING btree (up_dag, up_at);
CREATE INDEX task_instance_not_successful ON task_instance USING btree (state, run_pk, task_no, map_index, pool, ended_at) WHERE (state > 100);
CREATE INDEX task_state_store_expires_at ON task_state_store USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX trigger_claimed ON trigger USING btree (triggerer, dag_pk) WHERE (triggerer IS NOT NULL);
CREATE INDEX trigger_end_triggerer ON trigger_end USING btree (triggerer);
CREATE INDEX trigger_unclaimed ON trigger USING btree (priority DESC, trigger_pk) WHERE ((triggerer IS NULL) AND (due_at IS NULL) AND (fired IS NULL) AND (NOT sent));
CREATE INDEX trigger_unclaimed_dag ON trigger USING btree (dag_pk) WHERE ((triggerer IS NULL) AND (due_at IS NULL) AND (fired IS NULL) AND (NOT sent));
ALTER TABLE ONLY account_grant
    ADD CONSTRAINT account_grant_account_pk_fkey FOREIGN KEY (account_pk) REFERENCES account(account_pk) ON DELETE CASCADE;
ALTER TABLE ONLY account_identity
    ADD CONSTRAINT account_identity_account_pk_fkey FOREIGN KEY (account_pk) REFERENCES account(account_pk) ON DELETE CASCADE;
ALTER TABLE ONLY api_token
    ADD CONSTRAINT api_token_account_pk_fkey FOREIGN KEY (account_pk) REFERENCES account(account_pk) ON DELETE CASCADE;
ALTER TABLE ONLY asset_event
    ADD CONSTRAINT asset_event_asset_pk_fkey FOREIGN KEY (asset_pk) REFERENCES asset(asset_pk);
ALTER TABLE ONLY asset_watcher
    ADD CONSTRAINT asset_watcher_asset_trigger_pk_fkey FOREIGN KEY (asset_trigger_pk) REFERENCES asset_trigger(asset_trigger_pk);
ALTER TABLE ONLY asset_watcher
    ADD CONSTRAINT asset_watcher_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY backfill
    ADD CONSTRAINT backfill_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY dag_asset
    ADD CONSTRAINT dag_asset_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY dag_edge
    ADD CONSTRAINT dag_edge_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY dag
    ADD CONSTRAINT dag_file_pk_fkey FOREIGN KEY (file_pk) REFERENCES file(file_pk);
ALTER TABLE ONLY dag_group
    ADD CONSTRAINT dag_group_owner_fkey FOREIGN KEY (owner) REFERENCES scheduler(id);
ALTER TABLE ONLY dag_run
    ADD CONSTRAINT dag_run_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY dag_version
    ADD CONSTRAINT dag_version_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY favorite_dag
    ADD CONSTRAINT favorite_dag_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk) ON DELETE CASCADE;
ALTER TABLE ONLY import_error
    ADD CONSTRAINT import_error_file_pk_fkey FOREIGN KEY (file_pk) REFERENCES file(file_pk) ON DELETE CASCADE;
ALTER TABLE ONLY login_session
    ADD CONSTRAINT login_session_account_pk_fkey FOREIGN KEY (account_pk) REFERENCES account(account_pk) ON DELETE CASCADE;
ALTER TABLE ONLY newest_run
    ADD CONSTRAINT newest_run_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY note
    ADD CONSTRAINT note_run_pk_fkey FOREIGN KEY (run_pk) REFERENCES dag_run(run_pk) ON DELETE CASCADE;
ALTER TABLE ONLY remote_attempt
    ADD CONSTRAINT remote_attempt_run_pk_fkey FOREIGN KEY (run_pk) REFERENCES dag_run(run_pk) ON DELETE CASCADE;
ALTER TABLE ONLY rendered_fields
    ADD CONSTRAINT rendered_fields_run_pk_fkey FOREIGN KEY (run_pk) REFERENCES dag_run(run_pk) ON DELETE CASCADE;
ALTER TABLE ONLY run_tally
    ADD CONSTRAINT run_tally_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
ALTER TABLE ONLY saved_view
    ADD CONSTRAINT saved_view_account_pk_fkey FOREIGN KEY (account_pk) REFERENCES account(account_pk) ON DELETE CASCADE;
ALTER TABLE ONLY task_name
    ADD CONSTRAINT task_name_dag_pk_fkey FOREIGN KEY (dag_pk) REFERENCES dag(dag_pk);
