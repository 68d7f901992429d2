-- name: add
-- Insert a backfill, unless its DAG has one that has not ended.
INSERT INTO backfill (dag_pk, group_no, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, created_at, created_by, paused)
VALUES (:dag_pk, :group_no, :from_at, :to_at, :reprocess, :max_active_runs, :runs_backwards, :conf, :created_at, :created_by, :paused)
ON CONFLICT DO NOTHING RETURNING backfill_pk;

-- name: find
-- One backfill.
SELECT backfill_pk, dag_pk, group_no, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, created_at, created_by,
       paused, cancelled_by, position, is_planned, is_windowed, slot_count, first_run_after, error, ended_at
FROM backfill WHERE backfill_pk = :backfill_pk;

-- name: active_of_dag
-- The backfill of a DAG that has not ended.
SELECT backfill_pk, dag_pk, group_no, from_at, to_at, reprocess, max_active_runs, runs_backwards, conf, created_at, created_by,
       paused, cancelled_by, position, is_planned, is_windowed, slot_count, first_run_after, error, ended_at
FROM backfill WHERE dag_pk = :dag_pk AND ended_at IS NULL;

-- name: list
-- All backfills with the ids of their DAGs, newest first.
SELECT d.dag_id, b.backfill_pk, b.dag_pk, b.group_no, b.from_at, b.to_at, b.reprocess, b.max_active_runs, b.runs_backwards, b.conf,
       b.created_at, b.created_by, b.paused, b.cancelled_by, b.position, b.is_planned, b.is_windowed, b.slot_count,
       b.first_run_after, b.error, b.ended_at
FROM backfill AS b JOIN dag AS d ON d.dag_pk = b.dag_pk ORDER BY b.backfill_pk DESC;

-- name: of_dag
-- The backfills of a DAG with its id, newest first.
SELECT d.dag_id, b.backfill_pk, b.dag_pk, b.group_no, b.from_at, b.to_at, b.reprocess, b.max_active_runs, b.runs_backwards, b.conf,
       b.created_at, b.created_by, b.paused, b.cancelled_by, b.position, b.is_planned, b.is_windowed, b.slot_count,
       b.first_run_after, b.error, b.ended_at
FROM dag AS d JOIN backfill AS b ON b.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id ORDER BY b.backfill_pk DESC;

-- name: named
-- One backfill with the id of its DAG.
SELECT d.dag_id, b.backfill_pk, b.dag_pk, b.group_no, b.from_at, b.to_at, b.reprocess, b.max_active_runs, b.runs_backwards, b.conf,
       b.created_at, b.created_by, b.paused, b.cancelled_by, b.position, b.is_planned, b.is_windowed, b.slot_count,
       b.first_run_after, b.error, b.ended_at
FROM backfill AS b JOIN dag AS d ON d.dag_pk = b.dag_pk WHERE b.backfill_pk = :backfill_pk;

-- name: of_groups
-- Backfills of some groups that have not ended, or of which a run has not ended.
SELECT b.backfill_pk, b.dag_pk, b.group_no, b.from_at, b.to_at, b.reprocess, b.max_active_runs, b.runs_backwards, b.conf,
       b.created_at, b.created_by, b.paused, b.cancelled_by, b.position, b.is_planned, b.is_windowed, b.slot_count,
       b.first_run_after, b.error, b.ended_at
FROM backfill AS b WHERE b.backfill_pk IN (
    SELECT backfill_pk FROM backfill WHERE ended_at IS NULL AND group_no {in :groups bigint}
    UNION SELECT backfill_pk FROM dag_run WHERE ended_at IS NULL AND backfill_pk IS NOT NULL AND group_no {in :groups bigint})
ORDER BY b.backfill_pk;

-- name: set_paused
-- Pause or continue a backfill that has not ended.
UPDATE backfill SET paused = :paused WHERE backfill_pk = :backfill_pk AND paused <> :paused AND ended_at IS NULL AND cancelled_by IS NULL;

-- name: cancel
-- Cancel a backfill that has not ended; its owner does the rest.
UPDATE backfill SET cancelled_by = :by WHERE backfill_pk = :backfill_pk AND ended_at IS NULL AND cancelled_by IS NULL;

-- name: run_counts (sqlite)
-- The runs of some backfills by state.
-- differs: SQLite reads the list first and looks up each, by the order of its tables
SELECT r.backfill_pk, r.state, count(*) FROM json_each(:backfill_pks) AS k CROSS JOIN dag_run AS r
WHERE r.backfill_pk = k.value GROUP BY r.backfill_pk, r.state ORDER BY r.backfill_pk, r.state;

-- name: run_counts (postgresql)
SELECT backfill_pk, state, count(*) FROM dag_run WHERE backfill_pk {in :backfill_pks bigint} GROUP BY backfill_pk, state ORDER BY backfill_pk, state;

-- name: slot_counts (sqlite)
-- The slots of some backfills that had a run already, by what the backfill does with it.
-- differs: SQLite reads the list first and looks up each, by the order of its tables
SELECT s.backfill_pk, s.outcome, count(*) FROM json_each(:backfill_pks) AS k CROSS JOIN backfill_slot AS s
WHERE s.backfill_pk = k.value GROUP BY s.backfill_pk, s.outcome ORDER BY s.backfill_pk, s.outcome;

-- name: slot_counts (postgresql)
SELECT backfill_pk, outcome, count(*) FROM backfill_slot WHERE backfill_pk {in :backfill_pks bigint} GROUP BY backfill_pk, outcome ORDER BY backfill_pk, outcome;

-- name: left_runs
-- Runs that a backfill left as they are, in the order of their slots.
SELECT s.run_after, s.outcome, r.run_id FROM backfill_slot AS s JOIN dag_run AS r ON r.run_pk = s.run_pk
WHERE s.backfill_pk = :backfill_pk AND s.outcome IN ('exists', 'unfinished') ORDER BY s.run_after LIMIT :limit;

-- name: slot_states
-- The runs that hold some slots of a DAG.
SELECT slot_key, run_pk, run_id, run_type, run_after, state, backfill_pk FROM dag_run
WHERE dag_pk = :dag_pk AND slot_key {in :slot_keys text};

-- name: uncovered
-- How far a DAG's backfill that is still finding its slots has come: the slots after this, up to its creation, may get a run.
SELECT position, from_at, created_at FROM backfill WHERE dag_pk = :dag_pk AND ended_at IS NULL AND NOT is_planned AND cancelled_by IS NULL AND error IS NULL;
