-- name: all_tasks
-- The task instances of all runs of a DAG.
DELETE FROM task_instance WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_attempts
-- The attempts of all runs of a DAG.
DELETE FROM attempt WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_xcoms
-- The XComs of all runs of a DAG.
DELETE FROM xcom WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_trigger_notes (sqlite)
-- Who runs the triggers of runs of a DAG is told that somebody ended them. The writer is alone here, so there is nothing to lock.
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM trigger
WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk) AND (triggerer IS NOT NULL OR begun AND NOT sent AND fired IS NULL);

-- name: all_trigger_notes (postgresql)
-- Who runs the triggers of runs of a DAG is told that somebody ended them. All rows are locked first: nobody claims one between this and their end.
WITH held AS (SELECT * FROM trigger
    WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk) ORDER BY trigger_pk FOR UPDATE)
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM held
WHERE triggerer IS NOT NULL OR begun AND NOT sent AND fired IS NULL;

-- name: all_triggers
-- The triggers that runs of a DAG wait for.
DELETE FROM trigger WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_waits
-- The waits of runs of a DAG for upstream DAGs.
DELETE FROM run_wait WHERE down_run IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_runs
-- The runs of a DAG.
DELETE FROM dag_run WHERE dag_pk = :dag_pk;

-- name: ended_runs
-- Some ended runs of a DAG, the newest first.
SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :most;

-- name: tally (sqlite)
-- rows: run_pk bigint
-- One run fewer in the state of each of these runs. A batch is one row at a time here.
UPDATE run_tally SET n = n - 1
WHERE (dag_pk, state) = (SELECT dag_pk, state FROM dag_run WHERE run_pk = :run_pk);

-- name: tally (postgresql)
-- rows: run_pk bigint
-- As many runs fewer in each state as these runs are. A batch is one statement here.
UPDATE run_tally SET n = run_tally.n - gone.n
FROM (SELECT d.dag_pk, d.state, count(*) AS n FROM :rows JOIN dag_run AS d ON d.run_pk = r.run_pk GROUP BY d.dag_pk, d.state) AS gone
WHERE run_tally.dag_pk = gone.dag_pk AND run_tally.state = gone.state;

-- name: tasks (sqlite)
-- rows: run_pk bigint
-- The task instances of some runs. A batch is one row at a time here.
DELETE FROM task_instance WHERE run_pk = :run_pk;

-- name: tasks (postgresql)
-- rows: run_pk bigint
-- The task instances of some runs. A batch is one statement here.
DELETE FROM task_instance USING :rows WHERE task_instance.run_pk = r.run_pk;

-- name: attempts (sqlite)
-- rows: run_pk bigint
-- The attempts of some runs. A batch is one row at a time here.
DELETE FROM attempt WHERE run_pk = :run_pk;

-- name: attempts (postgresql)
-- rows: run_pk bigint
-- The attempts of some runs. A batch is one statement here.
DELETE FROM attempt USING :rows WHERE attempt.run_pk = r.run_pk;

-- name: xcoms (sqlite)
-- rows: run_pk bigint
-- The XComs of some runs. A batch is one row at a time here.
DELETE FROM xcom WHERE run_pk = :run_pk;

-- name: xcoms (postgresql)
-- rows: run_pk bigint
-- The XComs of some runs. A batch is one statement here.
DELETE FROM xcom USING :rows WHERE xcom.run_pk = r.run_pk;

-- name: trigger_notes (sqlite)
-- rows: run_pk bigint
-- Who runs the triggers of some runs is told that somebody ended them. A batch is one row at a time here.
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM trigger
WHERE run_pk = :run_pk AND (triggerer IS NOT NULL OR begun AND NOT sent AND fired IS NULL);

-- name: trigger_notes (postgresql)
-- rows: run_pk bigint
-- Who runs the triggers of some runs is told that somebody ended them. All rows are locked first: nobody claims one between this and their end.
WITH held AS (SELECT t.* FROM :rows JOIN trigger AS t ON t.run_pk = r.run_pk ORDER BY t.trigger_pk FOR UPDATE OF t)
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM held
WHERE triggerer IS NOT NULL OR begun AND NOT sent AND fired IS NULL;

-- name: triggers (sqlite)
-- rows: run_pk bigint
-- The triggers that some runs wait for. A batch is one row at a time here.
DELETE FROM trigger WHERE run_pk = :run_pk;

-- name: triggers (postgresql)
-- rows: run_pk bigint
-- The triggers that some runs wait for. A batch is one statement here.
DELETE FROM trigger USING :rows WHERE trigger.run_pk = r.run_pk;

-- name: waits (sqlite)
-- rows: run_pk bigint
-- The waits of some runs for upstream DAGs. A batch is one row at a time here.
DELETE FROM run_wait WHERE down_run = :run_pk;

-- name: waits (postgresql)
-- rows: run_pk bigint
-- The waits of some runs for upstream DAGs. A batch is one statement here.
DELETE FROM run_wait USING :rows WHERE run_wait.down_run = r.run_pk;

-- name: runs (sqlite)
-- rows: run_pk bigint
-- The runs themselves. A batch is one row at a time here.
DELETE FROM dag_run WHERE run_pk = :run_pk;

-- name: runs (postgresql)
-- rows: run_pk bigint
-- The runs themselves. A batch is one statement here.
DELETE FROM dag_run USING :rows WHERE dag_run.run_pk = r.run_pk;

-- name: parse_again
-- The file of a DAG is to be parsed again, though nothing in it has changed.
UPDATE file SET stale = TRUE WHERE file_pk = (SELECT file_pk FROM dag WHERE dag_pk = :dag_pk);

-- name: tallies
-- The counts of a DAG.
DELETE FROM run_tally WHERE dag_pk = :dag_pk;

-- name: names
-- The task numbers of a DAG.
DELETE FROM task_name WHERE dag_pk = :dag_pk;

-- name: edges
-- The dependencies of a DAG on others.
DELETE FROM dag_edge WHERE dag_pk = :dag_pk;

-- name: unversion
-- The DAG points to no version.
UPDATE dag SET version_pk = NULL, active = FALSE WHERE dag_pk = :dag_pk;

-- name: versions
-- The versions of a DAG.
DELETE FROM dag_version WHERE dag_pk = :dag_pk;

-- name: dag
-- The DAG itself.
DELETE FROM dag WHERE dag_pk = :dag_pk;
