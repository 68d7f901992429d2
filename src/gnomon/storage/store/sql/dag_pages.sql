-- name: page
-- field: dag_pk d.dag_pk
-- field: dag_id d.dag_id
-- field: is_paused d.paused
-- field: is_active d.active
-- field: file f.path
-- field: has_import_errors (EXISTS (SELECT 1 FROM import_error AS x WHERE x.file_pk = d.file_pk))
-- nullable field: next_dagrun d.next_run_after
-- nullable field: last_run_state w.state
-- nullable field: last_run_start_date w.started_at
-- nullable field: last_run_end_date w.ended_at
-- nullable field: last_run_after w.run_after
-- nullable field: last_run_duration (w.ended_at - w.started_at)
-- field: failures COALESCE((SELECT t.n FROM run_tally AS t WHERE t.dag_pk = d.dag_pk AND t.state = 101), 0)
-- nullable field: bundle_name f.bundle_name
-- nullable field: bundle_version f.bundle_version
-- field: has_warnings (f.warnings <> '[]' OR COALESCE(d.error, '') <> '' OR COALESCE(d.dependency_error, '') <> '')
-- nullable field: awaited_since (CASE WHEN d.active AND NOT d.paused THEN d.next_run_after END)
-- join: f JOIN file AS f ON f.file_pk = d.file_pk
-- join: w LEFT JOIN newest_run AS w ON w.dag_pk = d.dag_pk
-- DAGs with the results of their last parse and their planning. The rest of a row is read only for the page.
SELECT d.dag_pk, d.dag_id, d.paused, d.active, d.version_pk, d.input_hash, d.next_body, f.path, f.parsed_at, f.duration_s, v.number, v.created_at,
       f.bundle_name, f.bundle_version, (EXISTS (SELECT 1 FROM import_error AS x WHERE x.file_pk = d.file_pk)) {keys}
FROM (SELECT d.dag_pk FROM dag AS d {joins} WHERE d.version_pk IS NOT NULL AND {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
     {cross} JOIN dag AS d ON d.dag_pk = found.dag_pk {cross} JOIN file AS f ON f.file_pk = d.file_pk {cross} JOIN dag_version AS v ON v.version_pk = d.version_pk {order_joins}
ORDER BY {order};

-- name: count
-- fields: page
-- join: f JOIN file AS f ON f.file_pk = d.file_pk
-- join: w LEFT JOIN newest_run AS w ON w.dag_pk = d.dag_pk
-- Counts the DAGs that a page belongs to, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM dag AS d {joins} WHERE d.version_pk IS NOT NULL AND {conditions} LIMIT :most
) AS found;

-- name: facets
-- fields: page
-- join: f JOIN file AS f ON f.file_pk = d.file_pk
-- join: w LEFT JOIN newest_run AS w ON w.dag_pk = d.dag_pk
-- The number of DAGs that meet conditions, by the state of the newest run and by whether the DAG is paused.
SELECT o.state, d.paused, count(*) FROM dag AS d LEFT JOIN newest_run AS o ON o.dag_pk = d.dag_pk {joins} WHERE d.version_pk IS NOT NULL AND {conditions}
GROUP BY o.state, d.paused ORDER BY o.state, d.paused;

-- name: keys
-- fields: page
-- join: f JOIN file AS f ON f.file_pk = d.file_pk
-- join: w LEFT JOIN newest_run AS w ON w.dag_pk = d.dag_pk
-- The keys of the DAGs that meet conditions.
SELECT d.dag_pk FROM dag AS d {joins} WHERE d.version_pk IS NOT NULL AND {conditions} ORDER BY d.dag_pk;

-- name: all_versions
-- The newest version of every DAG, without its spec, and its file.
SELECT dag_pk, version_pk, input_hash, active, file_pk FROM dag WHERE version_pk IS NOT NULL ORDER BY dag_id;

-- name: file_paths
-- The path of every file.
SELECT file_pk, path FROM file;

-- name: versions_of
-- The newest version of some DAGs.
SELECT dag_pk, version_pk, input_hash, active FROM dag WHERE version_pk IS NOT NULL AND dag_id {in :dag_ids text} ORDER BY dag_id;

-- name: version_numbers
-- The versions of a DAG without their specs, newest first.
SELECT version_pk, number, created_at, bundle_name, bundle_version FROM dag_version WHERE dag_pk = :dag_pk ORDER BY number DESC;
