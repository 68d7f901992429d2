-- The DAG bundle and its version: of a file, of a version of a DAG, and of a run, for postgresql.

ALTER TABLE file ADD COLUMN bundle_name TEXT;
ALTER TABLE file ADD COLUMN bundle_version TEXT;

ALTER TABLE dag_version ADD COLUMN bundle_name TEXT;
ALTER TABLE dag_version ADD COLUMN bundle_version TEXT;

ALTER TABLE dag_run ADD COLUMN bundle_version TEXT;
