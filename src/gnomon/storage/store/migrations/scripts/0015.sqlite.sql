-- Ids of asset aliases, times of assets and of triggers of watchers, writers of asset states, notes of runs and task instances, favourite DAGs: for sqlite.
-- An asset that was stored before gets the time of its oldest event, or the time of the upgrade; a trigger the time of the upgrade.

ALTER TABLE asset ADD COLUMN created_at INTEGER DEFAULT '0' NOT NULL;

ALTER TABLE asset ADD COLUMN updated_at INTEGER DEFAULT '0' NOT NULL;

UPDATE asset SET created_at = COALESCE((SELECT min(e.at) FROM asset_event AS e WHERE e.asset_pk = asset.asset_pk), CAST(strftime('%s', 'now') AS INTEGER) * 1000000);

UPDATE asset SET updated_at = created_at;

ALTER TABLE asset_trigger ADD COLUMN created_at INTEGER DEFAULT '0' NOT NULL;

UPDATE asset_trigger SET created_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000000;

ALTER TABLE asset_state_store ADD COLUMN source TEXT;

CREATE TABLE asset_alias (
    alias_pk INTEGER NOT NULL,
    name TEXT NOT NULL,
    alias_group TEXT DEFAULT 'asset' NOT NULL,
    CONSTRAINT asset_alias_pkey PRIMARY KEY (alias_pk),
    CONSTRAINT asset_alias_name_key UNIQUE (name)
);

INSERT INTO asset_alias (name)
SELECT json_extract(leaf, '$.name') FROM dag_asset WHERE leaf LIKE '{"type":"alias",%'
UNION SELECT alias FROM asset_event_alias ORDER BY 1;

CREATE TABLE note (
    run_pk INTEGER NOT NULL,
    task_no INTEGER DEFAULT '-1' NOT NULL,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    content TEXT NOT NULL,
    author TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CONSTRAINT note_pkey PRIMARY KEY (run_pk, task_no, map_index),
    CONSTRAINT note_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE,
    CONSTRAINT note_length_check CHECK (length(content) BETWEEN 1 AND 1000)
)
 WITHOUT ROWID;

CREATE TABLE favorite_dag (
    account TEXT NOT NULL,
    dag_pk INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT favorite_dag_pkey PRIMARY KEY (account, dag_pk),
    CONSTRAINT favorite_dag_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk) ON DELETE CASCADE
)
 WITHOUT ROWID;

CREATE INDEX favorite_dag_dag ON favorite_dag (dag_pk);
