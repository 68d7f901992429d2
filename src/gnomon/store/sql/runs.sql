-- name: find
-- One run of a DAG by its id.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id AND r.run_id = :run_id;

-- name: list
-- The runs of a DAG, newest first, by the index over their order.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id
ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :most;

-- name: list_in_state
-- The runs of a DAG in one state, newest first.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id AND r.state = :state
ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :most;

-- name: holder
-- The run that holds a slot of a DAG.
SELECT run_pk, run_id, run_type, run_after FROM dag_run WHERE dag_pk = :dag_pk AND slot_key = :slot_key;

-- name: holder_of_id
-- The run of a DAG that has a run id.
SELECT run_pk, run_id FROM dag_run WHERE dag_pk = :dag_pk AND run_id = :run_id;

-- name: add
-- A new run, queued, unless its run id or its slot is taken; which of them, the next question says.
INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after,
       version_pk, state, conf, queued_at, stands_for)
VALUES (:dag_pk, :group_no, :run_id, :slot_key, :run_type, :logical_at, :interval_start, :interval_end, :run_after,
       :version_pk, 1, :conf, :queued_at, :stands_for)
ON CONFLICT DO NOTHING RETURNING run_pk;

-- name: tallies
-- How many runs a DAG has in each state.
SELECT state, n FROM run_tally WHERE dag_pk = :dag_pk AND n > 0 ORDER BY state;

-- name: totals
-- How many runs there are in each state, over all DAGs.
SELECT state, sum(n) FROM run_tally WHERE n > 0 GROUP BY state ORDER BY state;

-- name: before
-- The newest run of a DAG before a moment in the order of its runs.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for
FROM dag_run WHERE dag_pk = :dag_pk AND (run_after, run_pk) < (:run_after, :run_pk)
ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: before_in_state
-- The newest run of a DAG in one state before a moment in the order of its runs.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for
FROM dag_run WHERE dag_pk = :dag_pk AND state = :state AND (run_after, run_pk) < (:run_after, :run_pk)
ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: newest_ended_runs
-- Ended runs of a DAG, newest first, by the index over their order.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for
FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :most;

-- name: unfinished
-- The unfinished runs of a DAG, newest first, by the partial index over its group.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for
FROM dag_run WHERE ended_at IS NULL AND dag_pk = :dag_pk AND group_no = (SELECT group_no FROM dag WHERE dag_pk = :dag_pk)
ORDER BY run_after DESC, run_pk DESC;

-- name: newest
-- The newest run of every DAG that has one, each by the index over their order.
SELECT r.dag_pk, r.run_id, r.state FROM dag AS d JOIN dag_run AS r ON r.run_pk =
       (SELECT n.run_pk FROM dag_run AS n WHERE n.dag_pk = d.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1);
