-- name: page
-- field: id r.run_pk
-- field: dag_pk r.dag_pk
-- field: dag_id d.dag_id
-- field: run_id r.run_id
-- field: state r.state
-- part: state 1 few r.state = 1 AND r.ended_at IS NULL
-- part: state 2 few r.state = 2 AND r.ended_at IS NULL
-- part: state 100 r.state = 100
-- part: state 101 r.state = 101
-- field: run_type r.run_type
-- field: run_after r.run_after
-- nullable field: logical_date r.logical_at
-- nullable field: partition_key r.partition_key
-- nullable field: partition_date r.partition_date
-- nullable field: start_date r.started_at
-- nullable field: end_date r.ended_at
-- equal: end_date COALESCE(r.ended_at, r.started_at, r.queued_at)
-- nullable field: ended_at r.ended_at
-- nullable field: unindexed_end_date NULLIF(r.ended_at, 0)
-- nullable field: duration (r.ended_at - r.started_at)
-- field: updated_at COALESCE(r.ended_at, r.started_at, r.queued_at)
-- field: conf r.conf
-- nullable field: version_number v.number
-- nullable field: bundle_version r.bundle_version
-- nullable field: created_by (SELECT e.by FROM event_log AS e WHERE e.run_pk = r.run_pk AND e.kind = 'run_created' ORDER BY e.event_pk LIMIT 1)
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
-- Runs of one DAG or of all, with the version that they use and the user who created them. The rest of a row is read only for the page.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version,
       d.dag_id, v.number, v.created_at, v.bundle_name,
       (SELECT e.by FROM event_log AS e WHERE e.run_pk = r.run_pk AND e.kind = 'run_created' ORDER BY e.event_pk LIMIT 1) {keys}
FROM (SELECT r.run_pk FROM dag_run AS r {joins} WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
     {cross} JOIN dag_run AS r ON r.run_pk = found.run_pk {cross} JOIN dag AS d ON d.dag_pk = r.dag_pk LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
ORDER BY {order};

-- name: keys
-- fields: page
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
-- Only the keys of the runs of a page.
SELECT r.run_pk {keys} FROM dag_run AS r {joins} WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: page_by_dag
-- fields: page
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
-- The same, DAG by DAG in the order of their ids.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version,
       d.dag_id, v.number, v.created_at, v.bundle_name,
       (SELECT e.by FROM event_log AS e WHERE e.run_pk = r.run_pk AND e.kind = 'run_created' ORDER BY e.event_pk LIMIT 1) {keys}
FROM (SELECT r.run_pk FROM dag AS d {cross} JOIN dag_run AS r ON r.dag_pk = d.dag_pk {joins}
      WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
     {cross} JOIN dag_run AS r ON r.run_pk = found.run_pk {cross} JOIN dag AS d ON d.dag_pk = r.dag_pk LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
ORDER BY {order};

-- name: count
-- fields: page
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = r.version_pk
-- Counts the runs that a page belongs to, up to a number.
SELECT count(*) FROM (SELECT 1 FROM dag_run AS r {joins} WHERE {conditions} {order} LIMIT :most) AS found;

-- name: totals_of_dags
-- The number of runs of some DAGs by DAG and state.
SELECT dag_pk, state, n FROM run_tally WHERE n > 0 AND dag_pk {in :dag_pks bigint} ORDER BY dag_pk, state;

-- name: totals_of_all
-- The number of runs of every DAG by DAG and state.
SELECT dag_pk, state, n FROM run_tally WHERE n > 0;

-- name: totals_of_several
-- The number of runs of some DAGs together, by state.
SELECT state, sum(n) FROM run_tally WHERE n > 0 AND dag_pk {in :dag_pks bigint} GROUP BY state ORDER BY state;

-- name: totals_of_many (sqlite)
-- The same for so many DAGs that all tallies are read.
-- differs: `+` is for PostgreSQL's estimates, and would keep SQLite from its index
SELECT state, sum(n) FROM run_tally WHERE n > 0 AND dag_pk {in :dag_pks bigint} GROUP BY state ORDER BY state;

-- name: totals_of_many (postgresql)
-- `+`: PostgreSQL would estimate for each DAG how many rows it has, which takes longer than to read them.
SELECT state, sum(n) FROM run_tally WHERE n > 0 AND +dag_pk {in :dag_pks bigint} GROUP BY state ORDER BY state;

-- name: of_run_id (sqlite)
-- The runs of all DAGs that have a run id, by the unique index over DAG and run id.
-- differs: PostgreSQL would read all runs for a join, but not for an array
SELECT r.run_pk FROM dag AS d {cross} JOIN dag_run AS r ON r.dag_pk = d.dag_pk AND r.run_id = :run_id ORDER BY r.run_pk;

-- name: of_run_id (postgresql)
SELECT run_pk FROM dag_run WHERE dag_pk = ANY(ARRAY(SELECT dag_pk FROM dag)) AND run_id = :run_id ORDER BY run_pk;

-- name: changed_since
-- The runs that are unfinished, or have ended at an instant or later, up to a number; an unfinished run can come twice, which costs less than to look for it. The order is that of the index, which PostgreSQL would not read without it.
SELECT run_pk FROM (SELECT run_pk FROM dag_run WHERE COALESCE(ended_at, started_at, queued_at) >= :since ORDER BY COALESCE(ended_at, started_at, queued_at) LIMIT :most) AS ended
UNION ALL SELECT run_pk FROM dag_run WHERE ended_at IS NULL;

-- name: marked_since
-- The runs with task instances that a user has marked at an instant or later.
SELECT run_pk FROM event_log WHERE at >= :since AND kind = 'marked';

-- name: middle
-- The times of the run whose id is in the middle.
SELECT run_after, logical_at, started_at, COALESCE(ended_at, started_at, queued_at), ended_at FROM dag_run
WHERE run_pk >= ((SELECT min(run_pk) FROM dag_run) + (SELECT max(run_pk) FROM dag_run)) / 2 ORDER BY run_pk LIMIT 1;
