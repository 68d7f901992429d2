-- What tasks keep between tries, and what tasks and watchers keep of an asset; the partitions of runs. For sqlite.

CREATE TABLE task_state_store (
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    CONSTRAINT task_state_store_pkey PRIMARY KEY (run_pk, task_no, map_index, "key"),
    CONSTRAINT task_state_store_size_check CHECK (length(value) <= 16777216)
);

CREATE INDEX task_state_store_expires_at ON task_state_store (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE asset_state_store (
    asset TEXT NOT NULL,
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    writer TEXT NOT NULL,
    CONSTRAINT asset_state_store_pkey PRIMARY KEY (asset, "key"),
    CONSTRAINT asset_state_store_size_check CHECK (length(value) <= 16777216)
);

ALTER TABLE dag_run ADD COLUMN partition_key TEXT;

ALTER TABLE dag_run ADD COLUMN partition_date INTEGER;
