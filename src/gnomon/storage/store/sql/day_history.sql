-- name: runs
-- The runs that are due in a time, by the index over due times, and the number of the version that each had.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, queued_at, started_at, ended_at, clear_number, version_pk FROM dag_run
WHERE run_after >= :begin AND run_after < :until ORDER BY run_after, run_pk LIMIT :most;

-- name: tries
-- The attempts of tasks of some runs that have ended, each a range of the primary key.
SELECT run_pk, task_no, map_index, try_number, state, started_at, ended_at FROM attempt
WHERE run_pk {in :run_pks bigint} AND kind = 'task' ORDER BY run_pk, task_no, map_index, seq;

-- name: tasks
-- What became of the task instances of some runs, each a range of the primary key.
SELECT run_pk, task_no, map_index, state, return_length FROM task_instance
WHERE run_pk {in :run_pks bigint} ORDER BY run_pk, task_no, map_index;
