-- Watchers of assets, and the triggers that watchers with equal class and arguments share, for sqlite.

CREATE TABLE asset_trigger (
    asset_trigger_pk INTEGER NOT NULL,
    identity TEXT NOT NULL,
    classpath TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    triggerer TEXT,
    retry_at INTEGER,
    failures INTEGER DEFAULT '0' NOT NULL,
    failure TEXT,
    failed_at INTEGER,
    event_count INTEGER DEFAULT '0' NOT NULL,
    last_event_at INTEGER,
    CONSTRAINT asset_trigger_pkey PRIMARY KEY (asset_trigger_pk),
    CONSTRAINT asset_trigger_identity_key UNIQUE (identity),
    CONSTRAINT asset_trigger_failure_check CHECK ((failure IS NULL) = (failed_at IS NULL))
);

CREATE INDEX asset_trigger_triggerer ON asset_trigger (triggerer);

CREATE TABLE asset_watcher (
    dag_pk INTEGER NOT NULL,
    asset_name TEXT NOT NULL,
    asset_uri TEXT NOT NULL,
    watcher_name TEXT NOT NULL,
    asset_trigger_pk INTEGER NOT NULL,
    asset_leaf TEXT NOT NULL,
    name_leaf TEXT NOT NULL,
    uri_leaf TEXT NOT NULL,
    place TEXT,
    CONSTRAINT asset_watcher_pkey PRIMARY KEY (dag_pk, asset_name, asset_uri, watcher_name, asset_trigger_pk),
    CONSTRAINT asset_watcher_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk),
    CONSTRAINT asset_watcher_asset_trigger_pk_fkey FOREIGN KEY(asset_trigger_pk) REFERENCES asset_trigger (asset_trigger_pk)
);

CREATE INDEX asset_watcher_trigger ON asset_watcher (asset_trigger_pk);
