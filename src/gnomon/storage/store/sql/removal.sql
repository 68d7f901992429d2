-- name: all_task_instances
-- Delete the task instances of all runs of a DAG.
DELETE FROM task_instance WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_attempts
-- Delete the attempts of all runs of a DAG.
DELETE FROM attempt WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_xcoms
-- Delete the XComs of all runs of a DAG.
DELETE FROM xcom WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_task_states
-- Delete what the tasks of all runs of a DAG keep in the task state store.
DELETE FROM task_state_store WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: end_all_triggers (sqlite)
-- Tell the triggerers of all triggers of a DAG that these must end, and call on_kill.
-- differs: PostgreSQL locks the rows in one order before it changes them
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM trigger
WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk) AND (triggerer IS NOT NULL OR claimed_once AND NOT sent AND result IS NULL);

-- name: end_all_triggers (postgresql)
-- All rows are locked first, so that no triggerer claims one before it is deleted.
WITH held AS (SELECT * FROM trigger
    WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk) ORDER BY trigger_pk FOR UPDATE)
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM held
WHERE triggerer IS NOT NULL OR claimed_once AND NOT sent AND result IS NULL;

-- name: all_hitl_details
-- Delete the questions of all runs of a DAG.
DELETE FROM hitl_detail WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_triggers
-- Delete the triggers of all runs of a DAG.
DELETE FROM trigger WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_run_waits
-- Delete the waits of all runs of a DAG for upstream DAGs.
DELETE FROM run_wait WHERE down_run IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_run_callbacks
-- Delete the callbacks of all runs of a DAG.
DELETE FROM run_callback WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: all_run_deadlines
-- Delete the deadlines of all runs of a DAG.
DELETE FROM run_deadline WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: duration_summary
-- Delete the summary of the durations of a DAG.
DELETE FROM duration_summary WHERE dag_pk = :dag_pk;

-- name: run_predictions
-- Delete what was predicted of the runs of a DAG.
DELETE FROM run_prediction WHERE dag_pk = :dag_pk;

-- name: all_runs
-- Delete the runs of a DAG.
DELETE FROM dag_run WHERE dag_pk = :dag_pk;

-- name: backfill_slots
-- Delete the slots of the backfills of a DAG.
DELETE FROM backfill_slot WHERE backfill_pk IN (SELECT backfill_pk FROM backfill WHERE dag_pk = :dag_pk);

-- name: backfills
-- Delete the backfills of a DAG.
DELETE FROM backfill WHERE dag_pk = :dag_pk;

-- name: ended_runs
-- Some ended runs of a DAG, newest first.
SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :limit;

-- name: count_runs_off (sqlite)
-- rows: run_pk bigint
-- Subtract these runs from the number of runs by state.
-- differs: PostgreSQL counts the runs of a batch that share a row
UPDATE run_tally SET n = n - 1
WHERE (dag_pk, state) = (SELECT dag_pk, state FROM dag_run WHERE run_pk = :run_pk);

-- name: count_runs_off (postgresql)
-- rows: run_pk bigint
UPDATE run_tally SET n = run_tally.n - gone.n
FROM (SELECT d.dag_pk, d.state, count(*) AS n FROM {rows} JOIN dag_run AS d ON d.run_pk = r.run_pk GROUP BY d.dag_pk, d.state) AS gone
WHERE run_tally.dag_pk = gone.dag_pk AND run_tally.state = gone.state;

-- name: task_instances
-- rows: run_pk bigint
-- Delete the task instances of some runs.
DELETE FROM task_instance {using rows} WHERE task_instance.run_pk = :run_pk;

-- name: attempts
-- rows: run_pk bigint
-- Delete the attempts of some runs.
DELETE FROM attempt {using rows} WHERE attempt.run_pk = :run_pk;

-- name: xcoms
-- rows: run_pk bigint
-- Delete the XComs of some runs.
DELETE FROM xcom {using rows} WHERE xcom.run_pk = :run_pk;

-- name: task_states
-- rows: run_pk bigint
-- Delete what the tasks of some runs keep in the task state store.
DELETE FROM task_state_store {using rows} WHERE task_state_store.run_pk = :run_pk;

-- name: end_triggers (sqlite)
-- rows: run_pk bigint
-- Tell the triggerers of the triggers of some runs that these must end, and call on_kill.
-- differs: PostgreSQL locks the rows in one order before it changes them
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM trigger
WHERE run_pk = :run_pk AND (triggerer IS NOT NULL OR claimed_once AND NOT sent AND result IS NULL);

-- name: end_triggers (postgresql)
-- rows: run_pk bigint
-- All rows are locked first, so that no triggerer claims one before it is deleted.
WITH held AS (SELECT t.* FROM {rows} JOIN trigger AS t ON t.run_pk = r.run_pk ORDER BY t.trigger_pk FOR UPDATE OF t)
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, TRUE, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM held
WHERE triggerer IS NOT NULL OR claimed_once AND NOT sent AND result IS NULL;

-- name: hitl_details
-- rows: run_pk bigint
-- Delete the questions of some runs.
DELETE FROM hitl_detail {using rows} WHERE hitl_detail.run_pk = :run_pk;

-- name: triggers
-- rows: run_pk bigint
-- Delete the triggers of some runs.
DELETE FROM trigger {using rows} WHERE trigger.run_pk = :run_pk;

-- name: run_waits
-- rows: run_pk bigint
-- Delete the waits of some runs for upstream DAGs.
DELETE FROM run_wait {using rows} WHERE run_wait.down_run = :run_pk;

-- name: run_callbacks
-- rows: run_pk bigint
-- Delete the callbacks of some runs.
DELETE FROM run_callback {using rows} WHERE run_callback.run_pk = :run_pk;

-- name: run_deadlines
-- rows: run_pk bigint
-- Delete the deadlines of some runs.
DELETE FROM run_deadline {using rows} WHERE run_deadline.run_pk = :run_pk;

-- name: runs
-- rows: run_pk bigint
-- Delete some runs.
DELETE FROM dag_run {using rows} WHERE dag_run.run_pk = :run_pk;

-- name: quarantined_items
-- Delete what is in quarantine about a DAG.
DELETE FROM quarantine WHERE dag_pk = :dag_pk;

-- name: mark_file_stale
-- Have the file of a DAG parsed again although no input has changed.
UPDATE file SET stale = TRUE WHERE file_pk = (SELECT file_pk FROM dag WHERE dag_pk = :dag_pk);

-- name: tallies
-- Delete the numbers of runs by state of a DAG.
DELETE FROM run_tally WHERE dag_pk = :dag_pk;

-- name: task_numbers
-- Delete the task numbers of a DAG.
DELETE FROM task_name WHERE dag_pk = :dag_pk;

-- name: edges
-- Delete the dependencies of a DAG on other DAGs.
DELETE FROM dag_edge WHERE dag_pk = :dag_pk;

-- name: clear_version
-- Deactivate a DAG and remove its reference to a version.
UPDATE dag SET version_pk = NULL, active = FALSE WHERE dag_pk = :dag_pk;

-- name: versions
-- Delete the versions of a DAG.
DELETE FROM dag_version WHERE dag_pk = :dag_pk;

-- name: dag
-- Delete a DAG.
DELETE FROM dag WHERE dag_pk = :dag_pk;

-- name: consumed_asset_events
-- rows: run_pk bigint
-- Delete which events some runs consumed; the events stay.
DELETE FROM dag_run_asset_event {using rows} WHERE dag_run_asset_event.run_pk = :run_pk;

-- name: all_consumed_asset_events
-- Delete which events all runs of a DAG consumed; the events stay.
DELETE FROM dag_run_asset_event WHERE run_pk IN (SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk);

-- name: queued_asset_events
-- Delete the queue of events of a DAG.
DELETE FROM asset_queue WHERE dag_pk = :dag_pk;

-- name: asset_declarations
-- Delete what a DAG declares about assets; the assets and their events stay.
DELETE FROM dag_asset WHERE dag_pk = :dag_pk;

-- name: asset_watchers
-- Delete the watchers that a DAG declares; their triggers are deleted by `asset_watchers.remove_unused_triggers`.
DELETE FROM asset_watcher WHERE dag_pk = :dag_pk;
