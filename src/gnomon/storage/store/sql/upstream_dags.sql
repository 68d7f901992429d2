-- name: find
-- A DAG with its newest version, as far as its slots depend on it.
SELECT d.dag_pk, d.dag_id, d.group_no, d.active, d.paused, d.cursor, d.next_body, v.spec, f.path, d.input_hash, d.live_at,
       d.fingerprint, d.version_pk, (SELECT min(b.from_at) FROM backfill AS b WHERE b.dag_pk = d.dag_pk)
FROM dag AS d JOIN dag_version AS v ON v.version_pk = d.version_pk JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.dag_id = :dag_id;

-- name: slots
-- The slots of a DAG between two instants that have a run, by the indexes over the order of runs and over stands_for.
SELECT run_after FROM dag_run
WHERE dag_pk = :dag_pk AND run_after >= :start AND run_after < :end AND run_type IN ('scheduled', 'backfill')
UNION SELECT stands_for FROM dag_run WHERE dag_pk = :dag_pk AND stands_for >= :start AND stands_for < :end
ORDER BY 1;

-- name: runs_in_slots
-- The runs of a DAG in its slots between two instants, by the indexes over the order of runs and over stands_for.
SELECT run_after, run_id, state FROM dag_run
WHERE dag_pk = :dag_pk AND run_after >= :start AND run_after < :end AND run_type IN ('scheduled', 'backfill')
UNION ALL SELECT stands_for, run_id, state FROM dag_run WHERE dag_pk = :dag_pk AND stands_for >= :start AND stands_for < :end
ORDER BY 1 LIMIT :limit;

-- name: slots_before
-- The newest slots of a DAG before an instant that have a run, newest first.
SELECT at FROM (SELECT DISTINCT run_after AS at FROM dag_run
    WHERE dag_pk = :dag_pk AND run_after < :before AND run_type IN ('scheduled', 'backfill') ORDER BY run_after DESC LIMIT :limit) AS planned
UNION SELECT at FROM (SELECT DISTINCT stands_for AS at FROM dag_run
    WHERE dag_pk = :dag_pk AND stands_for < :before ORDER BY stands_for DESC LIMIT :limit) AS by_hand
ORDER BY 1 DESC LIMIT :limit;

-- name: planning_progress
-- How far some DAGs are planned.
SELECT dag_id, dag_pk, active, cursor, next_run_after FROM dag WHERE dag_id {in :dag_ids text} AND version_pk IS NOT NULL;

-- name: runs_of_slots
-- The runs of slots, which are given as pairs of DAG and slot. SQLite begins with the pairs (CROSS).
WITH wanted AS MATERIALIZED ({tuples :keys dag_pk bigint, at bigint})
SELECT a.dag_pk, a.at, r.run_pk, r.run_id, r.state, r.clear_number
FROM wanted AS a {cross} JOIN dag_run AS r ON r.dag_pk = a.dag_pk AND r.run_after = a.at WHERE r.run_type IN ('scheduled', 'backfill')
UNION ALL SELECT a.dag_pk, a.at, r.run_pk, r.run_id, r.state, r.clear_number
FROM wanted AS a {cross} JOIN dag_run AS r ON r.dag_pk = a.dag_pk AND r.stands_for = a.at;

-- name: task_states
-- The least state of tasks of runs over all their map indexes, and the worst state that counts as failed. Removed instances count only if there are no others. SQLite begins with the tasks (CROSS).
WITH wanted AS MATERIALIZED ({tuples :keys run_pk bigint, dag_pk bigint, task_id text})
SELECT a.run_pk, a.task_id, min(t.state), coalesce(max(CASE WHEN t.state IN (101, 103) THEN t.state END), CASE WHEN min(t.state) = 104 THEN 104 END)
FROM wanted AS a {cross} JOIN task_name AS n ON n.dag_pk = a.dag_pk AND n.task_id = a.task_id
       {cross} JOIN task_instance AS t ON t.run_pk = a.run_pk AND t.task_no = n.task_no
GROUP BY a.run_pk, a.task_id;
