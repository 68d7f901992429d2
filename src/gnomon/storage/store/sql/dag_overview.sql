-- name: newest_runs (sqlite)
-- The newest runs of some DAGs, by DAG, newest first.
-- differs: PostgreSQL looks up each of the list with LATERAL, SQLite with a list of keys
SELECT r.dag_pk, r.run_pk, r.run_id, r.run_type, r.state, r.run_after, r.started_at, r.ended_at, r.reason
FROM json_each(:dag_pks) AS k CROSS JOIN dag_run AS r
WHERE r.run_pk IN (SELECT n.run_pk FROM dag_run AS n WHERE n.dag_pk = k.value ORDER BY n.run_after DESC, n.run_pk DESC LIMIT :limit)
ORDER BY r.dag_pk, r.run_after DESC, r.run_pk DESC;

-- name: newest_runs (postgresql)
SELECT r.dag_pk, r.run_pk, r.run_id, r.run_type, r.state, r.run_after, r.started_at, r.ended_at, r.reason
FROM unnest(:dag_pks::bigint[]) AS k (dag_pk)
     CROSS JOIN LATERAL (SELECT n.* FROM dag_run AS n WHERE n.dag_pk = k.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT :limit) AS r
ORDER BY r.dag_pk, r.run_after DESC, r.run_pk DESC;

-- name: recent_counts (sqlite)
-- The number of runs of some DAGs that were due at an instant or later, by DAG and state.
-- differs: SQLite reads the list first and looks up each, by the order of its tables
SELECT r.dag_pk, r.state, count(*) FROM json_each(:dag_pks) AS k CROSS JOIN dag_run AS r
WHERE r.dag_pk = k.value AND r.run_after >= :since GROUP BY r.dag_pk, r.state ORDER BY r.dag_pk, r.state;

-- name: recent_counts (postgresql)
SELECT r.dag_pk, r.state, count(*) FROM dag_run AS r
WHERE r.dag_pk {in :dag_pks bigint} AND r.run_after >= :since GROUP BY r.dag_pk, r.state ORDER BY r.dag_pk, r.state;

-- name: problems
-- The errors of planning of some DAGs, and the warnings of their files.
SELECT d.dag_pk, d.error, d.dependency_error, f.warnings FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.dag_pk {in :dag_pks bigint} ORDER BY d.dag_pk;

-- name: next_runs
-- When the next run of every DAG is due that is active and not paused, if that is before an instant.
SELECT dag_pk, next_run_after FROM dag WHERE active AND NOT paused AND next_run_after < :until ORDER BY dag_pk;

-- name: next_bodies
-- The next runs of some DAGs.
SELECT dag_pk, next_body FROM dag WHERE dag_pk {in :dag_pks bigint} AND next_body IS NOT NULL ORDER BY dag_pk;

-- name: ended_by_hour (sqlite)
-- The runs that ended at an instant or later: DAG, hour of the end, state and 1, by the index over states and ends. SQLite would sort them to count
-- them, which takes longer than to pass them on.
-- differs: SQLite would sort to count
SELECT dag_pk, (ended_at - :since) / 3600000000, state, 1 FROM dag_run WHERE state IN (100, 101) AND ended_at >= :since LIMIT :most;

-- name: ended_by_hour (postgresql)
-- The number of runs that ended at an instant or later, by DAG, hour of the end and state, by the index over states and ends. PostgreSQL counts them
-- with a hash table, and passes on fewer rows.
SELECT dag_pk, hour, state, count(*) FROM (
    SELECT dag_pk, (ended_at - :since) / 3600000000 AS hour, state FROM dag_run WHERE state IN (100, 101) AND ended_at >= :since LIMIT :most) AS found
GROUP BY dag_pk, hour, state;

-- name: last_states
-- The state of the newest run of every DAG.
SELECT d.dag_pk, w.state FROM dag AS d LEFT JOIN newest_run AS w ON w.dag_pk = d.dag_pk WHERE d.active ORDER BY d.dag_pk;

-- name: failed_since
-- The runs that ended failed at an instant or later, the last end first, by the index over failed runs.
SELECT r.run_pk, r.dag_pk, d.dag_id, r.run_id, r.run_after, r.ended_at, r.reason, COALESCE(r.stands_for, r.run_after)
FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE r.state = 101 AND r.ended_at >= :since ORDER BY r.ended_at DESC, r.run_pk DESC LIMIT :most;

-- name: last_finished (sqlite)
-- The newest finished run of some DAGs.
-- differs: PostgreSQL looks up each of the list with LATERAL, SQLite with a list of keys
SELECT r.dag_pk, r.run_id, r.state, r.run_after, r.ended_at FROM json_each(:dag_pks) AS k CROSS JOIN dag_run AS r
WHERE r.run_pk = (SELECT n.run_pk FROM dag_run AS n WHERE n.dag_pk = k.value AND n.ended_at IS NOT NULL ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1)
ORDER BY r.dag_pk;

-- name: last_finished (postgresql)
SELECT r.dag_pk, r.run_id, r.state, r.run_after, r.ended_at
FROM unnest(:dag_pks::bigint[]) AS k (dag_pk)
     CROSS JOIN LATERAL (SELECT n.* FROM dag_run AS n WHERE n.dag_pk = k.dag_pk AND n.ended_at IS NOT NULL ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1) AS r
ORDER BY r.dag_pk;

-- name: first_instances (sqlite)
-- The task instances in a state of some runs that came to it first, with the number of all of each run.
-- differs: SQLite reads the list first and looks up each, by the order of its tables
SELECT f.run_pk, n.task_id, f.map_index, f.reason, f.total FROM (
    SELECT t.run_pk, t.task_no, t.map_index, t.reason, row_number() OVER (PARTITION BY t.run_pk ORDER BY t.ended_at, t.task_no, t.map_index) AS place,
           count(*) OVER (PARTITION BY t.run_pk) AS total
    FROM json_each(:run_pks) AS k CROSS JOIN task_instance AS t WHERE t.run_pk = k.value AND t.state = :state
) AS f CROSS JOIN dag_run AS r ON r.run_pk = f.run_pk CROSS JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = f.task_no
WHERE f.place <= :most ORDER BY f.run_pk, f.place;

-- name: first_instances (postgresql)
SELECT f.run_pk, n.task_id, f.map_index, f.reason, f.total FROM (
    SELECT t.run_pk, t.task_no, t.map_index, t.reason, row_number() OVER (PARTITION BY t.run_pk ORDER BY t.ended_at, t.task_no, t.map_index) AS place,
           count(*) OVER (PARTITION BY t.run_pk) AS total
    FROM task_instance AS t WHERE t.run_pk {in :run_pks bigint} AND t.state = :state
) AS f JOIN dag_run AS r ON r.run_pk = f.run_pk JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = f.task_no
WHERE f.place <= :most ORDER BY f.run_pk, f.place;

-- name: newest_run_times
-- When the newest run of every DAG was due.
SELECT dag_pk, run_after FROM newest_run;
