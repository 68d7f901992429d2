-- name: page
-- field: id r.run_pk
-- field: dag_pk r.dag_pk
-- field: dag_id d.dag_id
-- field: run_id r.run_id
-- field: state r.state
-- field: run_type r.run_type
-- field: run_after r.run_after
-- nullable field: logical_date r.logical_at
-- nullable field: partition_key r.partition_key
-- nullable field: partition_date r.partition_date
-- nullable field: start_date r.started_at
-- nullable field: end_date r.ended_at
-- nullable field: duration (r.ended_at - r.started_at)
-- field: updated_at COALESCE(r.ended_at, r.started_at, r.queued_at)
-- field: conf r.conf
-- nullable field: version_number v.number
-- nullable field: created_by (SELECT e.by FROM event_log AS e WHERE e.run_pk = r.run_pk AND e.kind = 'run_created' ORDER BY e.event_pk LIMIT 1)
-- Runs of one DAG or of all, with the version that they use and the user who created them.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk,
       d.dag_id, v.number, v.created_at,
       (SELECT e.by FROM event_log AS e WHERE e.run_pk = r.run_pk AND e.kind = 'run_created' ORDER BY e.event_pk LIMIT 1) {keys}
FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count
-- fields: page
-- Counts the runs that a page belongs to, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
    WHERE {conditions} LIMIT :most
) AS found;

-- name: totals_of_dags (sqlite)
-- The number of runs of some DAGs by DAG and state. SQLite reads the list with json_each.
SELECT dag_pk, state, n FROM run_tally WHERE n > 0 AND dag_pk IN (SELECT value FROM json_each(:dag_pks)) ORDER BY dag_pk, state;

-- name: totals_of_dags (postgresql)
-- The number of runs of some DAGs by DAG and state. PostgreSQL takes the list as an array.
SELECT dag_pk, state, n FROM run_tally WHERE n > 0 AND dag_pk = ANY(:dag_pks::bigint[]) ORDER BY dag_pk, state;
