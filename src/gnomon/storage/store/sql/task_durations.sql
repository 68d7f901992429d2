-- name: recent
-- The ended task instances of the newest ended runs of a DAG that have run, newest run first: at most so many runs and rows. SQLite begins with the runs (CROSS).
WITH recent AS MATERIALIZED (SELECT run_pk, run_type, run_after, version_pk FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL
                             ORDER BY run_after DESC, run_pk DESC LIMIT :runs)
SELECT t.task_no, r.run_type, r.run_after, t.state, t.try_number, t.started_at, t.ended_at, t.return_length, t.defer_seq,
    COALESCE(t.version_pk, r.version_pk) AS version_pk
FROM recent AS r {cross} JOIN task_instance AS t ON t.run_pk = r.run_pk
WHERE t.state IN (100, 101) AND t.started_at IS NOT NULL AND t.ended_at IS NOT NULL
ORDER BY r.run_after DESC, t.task_no, t.map_index LIMIT :rows;
