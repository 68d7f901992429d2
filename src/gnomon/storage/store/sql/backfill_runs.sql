-- name: advance
-- Record the slots that were found, unless the backfill was cancelled or another scheduler continued it.
UPDATE backfill SET position = :position, is_planned = :is_planned, is_windowed = :is_windowed, slot_count = slot_count + :slots,
       first_run_after = COALESCE(first_run_after, :first_run_after), error = :error
WHERE backfill_pk = :backfill_pk AND slot_count = :believed_slots AND NOT is_planned AND cancelled_by IS NULL AND ended_at IS NULL;

-- name: set_error
-- Record why the next slots cannot be stored; the position stays, so they are tried again.
UPDATE backfill SET error = :error
WHERE backfill_pk = :backfill_pk AND slot_count = :believed_slots AND NOT is_planned AND cancelled_by IS NULL AND ended_at IS NULL;

-- name: insert_runs
-- rows: dag_pk bigint, group_no smallint, run_id text, slot_key text, run_type text, logical_at bigint, interval_start bigint, interval_end bigint, run_after bigint, version_pk bigint, conf text, queued_at bigint, backfill_pk bigint, partition_key text, partition_date bigint
-- Insert queued runs, unless their slot or their run id is taken.
INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after, version_pk, state,
       conf, queued_at, backfill_pk, partition_key, partition_date)
{values :dag_pk, :group_no, :run_id, :slot_key, :run_type, :logical_at, :interval_start, :interval_end, :run_after, :version_pk, 1,
       :conf, :queued_at, :backfill_pk, :partition_key, :partition_date}
ON CONFLICT DO NOTHING;

-- name: leave_slots
-- rows: backfill_pk bigint, run_pk bigint, run_after bigint, outcome text
-- Insert slots that had a run already.
INSERT INTO backfill_slot (backfill_pk, run_pk, run_after, outcome) {values :backfill_pk, :run_pk, :run_after, :outcome} ON CONFLICT DO NOTHING;

-- name: next_queued
-- Queued runs of a backfill, oldest slot first.
SELECT run_pk, run_after FROM dag_run WHERE backfill_pk = :backfill_pk AND state = 1 ORDER BY run_after, run_pk LIMIT :limit;

-- name: next_queued_backwards
-- Queued runs of a backfill, newest slot first.
SELECT run_pk, run_after FROM dag_run WHERE backfill_pk = :backfill_pk AND state = 1 ORDER BY run_after DESC, run_pk DESC LIMIT :limit;

-- name: next_to_reprocess
-- Runs that the backfill has to run again, oldest slot first.
SELECT run_pk, run_after FROM backfill_slot WHERE backfill_pk = :backfill_pk AND outcome = 'to_reprocess' ORDER BY run_after, run_pk LIMIT :limit;

-- name: next_to_reprocess_backwards
-- Runs that the backfill has to run again, newest slot first.
SELECT run_pk, run_after FROM backfill_slot WHERE backfill_pk = :backfill_pk AND outcome = 'to_reprocess' ORDER BY run_after DESC, run_pk DESC LIMIT :limit;

-- name: forget_deleted
-- Forget slots whose run was deleted.
DELETE FROM backfill_slot WHERE backfill_pk = :backfill_pk AND NOT EXISTS (SELECT 1 FROM dag_run AS r WHERE r.run_pk = backfill_slot.run_pk);

-- name: reprocess
-- rows: run_pk bigint, backfill_pk bigint, run_type text
-- Runs were cleared and belong to the backfill now.
UPDATE dag_run SET backfill_pk = :backfill_pk, run_type = :run_type {from rows} WHERE dag_run.run_pk = :run_pk;

-- name: mark_reprocessed
-- rows: backfill_pk bigint, run_pk bigint
-- The runs of these slots were cleared.
UPDATE backfill_slot SET outcome = 'reprocessed' {from rows} WHERE backfill_slot.backfill_pk = :backfill_pk AND backfill_slot.run_pk = :run_pk;

-- name: leave_run
-- The run of a slot that was to run again is unfinished: the backfill leaves it as it is.
UPDATE backfill_slot SET outcome = 'unfinished' WHERE backfill_pk = :backfill_pk AND run_pk = :run_pk AND outcome = 'to_reprocess';

-- name: fail_queued
-- rows: run_pk bigint, ended_at bigint, reason text
-- End queued runs as failed.
UPDATE dag_run SET state = 101, ended_at = :ended_at, reason = :reason {from rows} WHERE dag_run.run_pk = :run_pk AND dag_run.state = 1;

-- name: end
-- End a backfill: a cancelled one without queued runs, or a planned one whose runs have all ended.
UPDATE backfill SET ended_at = :at
WHERE backfill_pk = :backfill_pk AND ended_at IS NULL AND (
    (cancelled_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM dag_run AS r WHERE r.backfill_pk = :backfill_pk AND r.state = 1))
    OR (is_planned AND NOT EXISTS (SELECT 1 FROM dag_run AS r WHERE r.backfill_pk = :backfill_pk AND r.state < 100)
        AND NOT EXISTS (SELECT 1 FROM backfill_slot AS s WHERE s.backfill_pk = :backfill_pk AND s.outcome = 'to_reprocess'))) RETURNING dag_pk;
