-- name: page
-- field: dag_pk d.dag_pk
-- field: dag_id d.dag_id
-- field: is_paused d.paused
-- field: is_active d.active
-- field: file f.path
-- field: has_import_errors (EXISTS (SELECT 1 FROM import_error AS x WHERE x.file_pk = d.file_pk))
-- nullable field: next_dagrun d.next_run_after
-- nullable field: last_run_state (SELECT n.state FROM dag_run AS n WHERE n.dag_pk = d.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1)
-- nullable field: last_run_start_date (SELECT n.started_at FROM dag_run AS n WHERE n.dag_pk = d.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1)
-- nullable field: last_run_end_date (SELECT n.ended_at FROM dag_run AS n WHERE n.dag_pk = d.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1)
-- DAGs with the results of their last parse and their planning.
SELECT d.dag_pk, d.dag_id, d.paused, d.active, d.version_pk, d.input_hash, d.next_body, f.path, f.parsed_at, f.duration_s, v.number, v.created_at,
       (EXISTS (SELECT 1 FROM import_error AS x WHERE x.file_pk = d.file_pk)) {keys}
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk JOIN dag_version AS v ON v.version_pk = d.version_pk
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count
-- fields: page
-- Counts the DAGs that a page belongs to, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk JOIN dag_version AS v ON v.version_pk = d.version_pk
    WHERE {conditions} LIMIT :most
) AS found;

-- name: keys
-- fields: page
-- The keys of the DAGs that meet conditions.
SELECT d.dag_pk FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk WHERE {conditions} ORDER BY d.dag_pk;

-- name: all_versions
-- The newest version of every DAG, without its spec.
SELECT dag_pk, version_pk, input_hash, active FROM dag WHERE version_pk IS NOT NULL ORDER BY dag_id;

-- name: versions_of (sqlite)
-- The newest version of some DAGs. SQLite reads the list with json_each.
SELECT dag_pk, version_pk, input_hash, active FROM dag WHERE version_pk IS NOT NULL AND dag_id IN (SELECT value FROM json_each(:dag_ids)) ORDER BY dag_id;

-- name: versions_of (postgresql)
-- The newest version of some DAGs. PostgreSQL takes the list as an array.
SELECT dag_pk, version_pk, input_hash, active FROM dag WHERE version_pk IS NOT NULL AND dag_id = ANY(:dag_ids::text[]) ORDER BY dag_id;

-- name: version_numbers
-- The versions of a DAG without their specs, newest first.
SELECT version_pk, number, created_at FROM dag_version WHERE dag_pk = :dag_pk ORDER BY number DESC;
