-- name: find_dags
-- DAGs by id with their newest version and their file.
SELECT d.dag_id, d.dag_pk, d.file_pk, d.active, d.input_hash, v.number, v.spec_hash, v.spec, f.path, f.gone_at
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk LEFT JOIN dag_version AS v ON v.version_pk = d.version_pk
WHERE d.dag_id {in :dag_ids text};

-- name: list
-- The versions of a DAG, newest first, with the number of runs that used each last.
SELECT v.version_pk, v.number, v.spec_hash, v.spec, v.input_hash, v.created_at, d.version_pk = v.version_pk,
       (SELECT count(*) FROM dag_run AS r WHERE r.dag_pk = v.dag_pk AND r.version_pk = v.version_pk), v.bundle_name, v.bundle_version
FROM dag_version AS v JOIN dag AS d ON d.dag_pk = v.dag_pk WHERE v.dag_pk = :dag_pk ORDER BY v.number DESC;

-- name: add_dags
-- rows: dag_id text, group_no smallint, file_pk bigint, input_hash text, paused boolean, live_at bigint
-- Insert new DAGs.
INSERT INTO dag (dag_id, group_no, file_pk, input_hash, paused, live_at)
{values :dag_id, :group_no, :file_pk, :input_hash, :paused, :live_at};

-- name: add_task_numbers
-- rows: dag_pk bigint, task_no integer, task_id text
-- Insert the numbers of new tasks.
INSERT INTO task_name (dag_pk, task_no, task_id) {values :dag_pk, :task_no, :task_id};

-- name: add
-- rows: dag_pk bigint, number integer, spec_hash text, spec bytea, input_hash text, created_at bigint, bundle_name text, bundle_version text
-- Insert new versions.
INSERT INTO dag_version (dag_pk, number, spec_hash, spec, input_hash, created_at, bundle_name, bundle_version)
{values :dag_pk, :number, :spec_hash, :spec, :input_hash, :created_at, :bundle_name, :bundle_version};

-- name: replace_spec
-- rows: dag_pk bigint, number integer, spec bytea
-- Replace the specs of versions in which only texts changed that the scheduler does not use.
UPDATE dag_version AS v SET spec = :spec {from rows} WHERE v.dag_pk = :dag_pk AND v.number = :number;

-- name: activate_dags (sqlite)
-- rows: dag_pk bigint, number integer, file_pk bigint, input_hash text, at bigint
-- DAGs are active, in this file, at this version; a plan that was made before is refused.
-- differs: PostgreSQL joins the versions of all rows at once
UPDATE dag SET live_at = CASE WHEN active THEN live_at ELSE :at END, active = TRUE, file_pk = :file_pk, input_hash = :input_hash, plan_seq = plan_seq + 1,
       version_pk = (SELECT v.version_pk FROM dag_version AS v WHERE v.dag_pk = :dag_pk AND v.number = :number)
WHERE dag_pk = :dag_pk;

-- name: activate_dags (postgresql)
-- rows: dag_pk bigint, number integer, file_pk bigint, input_hash text, at bigint
UPDATE dag SET live_at = CASE WHEN dag.active THEN dag.live_at ELSE r.at END, active = TRUE, file_pk = r.file_pk, input_hash = r.input_hash, plan_seq = plan_seq + 1,
       version_pk = v.version_pk
FROM {rows} JOIN dag_version AS v ON v.dag_pk = r.dag_pk AND v.number = r.number WHERE dag.dag_pk = r.dag_pk;

-- name: put_source
-- Keep a source; one that is kept already is marked as used, so that a clean does not delete it now.
INSERT INTO dag_source (source_hash, source, used_at) VALUES (:source_hash, :source, :at) ON CONFLICT (source_hash) DO UPDATE SET used_at = excluded.used_at;

-- name: set_sources
-- rows: dag_pk bigint, number integer, source_hash text
-- Give versions their source.
UPDATE dag_version AS v SET source_hash = :source_hash {from rows} WHERE v.dag_pk = :dag_pk AND v.number = :number;

-- name: source
-- The source of one version of a DAG.
SELECT s.source FROM dag_version AS v JOIN dag_source AS s ON s.source_hash = v.source_hash WHERE v.dag_pk = :dag_pk AND v.number = :number;
