-- name: find
-- Find a DAG by its id.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.active, d.version_pk, f.path, d.error
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk WHERE d.dag_id = :dag_id AND d.version_pk IS NOT NULL;

-- name: list
-- All DAGs by id.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.active, d.version_pk, f.path, d.error
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk WHERE d.version_pk IS NOT NULL ORDER BY d.dag_id;

-- name: set_paused
-- Pause or unpause; a plan that was made with the earlier plan_seq is refused (REQUEST in docs/contributing/ownership.md).
UPDATE dag SET paused = :paused, live_at = CASE WHEN :paused THEN live_at ELSE :at END, plan_seq = plan_seq + 1 WHERE dag_pk = :dag_pk AND paused <> :paused;

-- name: of_file
-- The active DAGs of a file.
SELECT dag_pk, dag_id, group_no FROM dag WHERE file_pk = :file_pk AND active ORDER BY dag_pk;

-- name: of_bundle
-- The active DAGs of the files of a DAG bundle: DAG, group, file.
SELECT d.dag_pk, d.group_no, d.file_pk FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk
WHERE f.bundle_name = :bundle_name AND d.active ORDER BY d.dag_pk;

-- name: deactivate
-- rows: dag_pk bigint
-- DAGs that no file defines any more; a plan that was made before is refused.
UPDATE dag SET active = FALSE, plan_seq = plan_seq + 1 {from rows} WHERE dag.dag_pk = :dag_pk AND active;
