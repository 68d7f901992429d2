-- Assets, their events, and the events that each consumer DAG has not consumed yet, for postgresql. Difference: identity columns.

CREATE TABLE asset (
    asset_pk BIGSERIAL NOT NULL,
    name TEXT NOT NULL,
    uri TEXT NOT NULL,
    asset_group TEXT DEFAULT 'asset' NOT NULL,
    extra TEXT DEFAULT '{}' NOT NULL,
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
