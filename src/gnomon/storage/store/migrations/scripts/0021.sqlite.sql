-- The source of each version of a DAG, each text once, for sqlite.

CREATE TABLE dag_source (
    source_hash TEXT NOT NULL,
    source BLOB NOT NULL,
    used_at INTEGER NOT NULL,
    CONSTRAINT dag_source_pkey PRIMARY KEY (source_hash)
);

ALTER TABLE dag_version ADD COLUMN source_hash TEXT;

CREATE INDEX dag_version_source ON dag_version (source_hash) WHERE source_hash IS NOT NULL;
