-- name: all_tasks
-- The task instances of all runs of a DAG.
DELETE FROM task_instance WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_attempts
-- The attempts of all runs of a DAG.
DELETE FROM attempt WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_xcoms
-- The XComs of all runs of a DAG.
DELETE FROM xcom WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_triggers
-- The triggers that runs of a DAG wait for.
DELETE FROM trigger WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_waits
-- The waits of runs of a DAG for upstream DAGs.
DELETE FROM run_wait WHERE down_run IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_runs
-- The runs of a DAG.
DELETE FROM dag_run WHERE dag_pk = :dag_pk;

-- name: tally
-- One run fewer in the state of this run.
UPDATE run_tally SET n = n - 1
WHERE (dag_pk, state) = (SELECT dag_pk, state FROM dag_run WHERE run_pk = :run_pk);

-- name: tasks
-- The task instances of a run.
DELETE FROM task_instance WHERE run_pk = :run_pk;

-- name: attempts
-- The attempts of a run.
DELETE FROM attempt WHERE run_pk = :run_pk;

-- name: xcoms
-- The XComs of a run.
DELETE FROM xcom WHERE run_pk = :run_pk;

-- name: triggers
-- The triggers that a run waits for.
DELETE FROM trigger WHERE run_pk = :run_pk;

-- name: waits
-- The waits of a run for upstream DAGs.
DELETE FROM run_wait WHERE down_run = :run_pk;

-- name: run
-- The run itself.
DELETE FROM dag_run WHERE run_pk = :run_pk;

-- name: parse_again
-- The file of a DAG is to be parsed again, though nothing in it has changed.
UPDATE file SET stale = TRUE WHERE file_pk = (SELECT file_pk FROM dag WHERE dag_pk = :dag_pk);

-- name: tallies
-- The counts of a DAG.
DELETE FROM run_tally WHERE dag_pk = :dag_pk;

-- name: names
-- The task numbers of a DAG.
DELETE FROM task_name WHERE dag_pk = :dag_pk;

-- name: unversion
-- The DAG points to no version.
UPDATE dag SET version_pk = NULL, active = FALSE WHERE dag_pk = :dag_pk;

-- name: versions
-- The versions of a DAG.
DELETE FROM dag_version WHERE dag_pk = :dag_pk;

-- name: dag
-- The DAG itself.
DELETE FROM dag WHERE dag_pk = :dag_pk;
