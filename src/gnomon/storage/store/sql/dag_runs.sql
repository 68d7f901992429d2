-- name: find
-- Find a run of a DAG by its run id.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id AND r.run_id = :run_id;

-- name: list
-- The runs of a DAG, newest first, by the index over their order.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id
ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: list_in_state
-- The runs of a DAG in one state, newest first.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id AND r.state = :state
ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: list_since
-- The runs of a DAG in a range of states that have not ended before an instant, newest first, by the index over their order.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version
FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id
  AND r.state BETWEEN :first_state AND :last_state AND (r.ended_at IS NULL OR r.ended_at >= :since)
ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: newest_of_all
-- Runs of all DAGs, the one created last first, by the primary key.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk ORDER BY r.run_pk DESC LIMIT :limit;

-- name: ended_of_all
-- Runs of all DAGs in a final state that ended at an instant or later, the last end first, by the index over states and ends.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE r.state = :state AND r.ended_at >= :since ORDER BY r.ended_at DESC, r.run_pk DESC LIMIT :limit;

-- name: since_of_all
-- Runs of all DAGs that have not ended, newest first, then those that ended at an instant or later, the last end first. Each part reads its
-- own end of an index, and no more rows than the limit; the plus sign keeps the order of the unfinished runs from its index.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM (SELECT s.run_pk FROM (SELECT run_pk FROM dag_run WHERE state = 100 AND ended_at >= :since ORDER BY ended_at DESC, run_pk DESC LIMIT :limit) AS s
      UNION ALL SELECT f.run_pk FROM (SELECT run_pk FROM dag_run WHERE state = 101 AND ended_at >= :since ORDER BY ended_at DESC, run_pk DESC LIMIT :limit) AS f
      UNION ALL SELECT u.run_pk FROM (SELECT run_pk FROM dag_run WHERE ended_at IS NULL ORDER BY +run_after DESC, run_pk DESC LIMIT :limit) AS u) AS found
     JOIN dag_run AS r ON r.run_pk = found.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
ORDER BY CASE WHEN r.ended_at IS NULL THEN 0 ELSE 1 END, r.ended_at DESC, CASE WHEN r.ended_at IS NULL THEN r.run_after ELSE 0 END DESC, r.run_pk DESC
LIMIT :limit;

-- name: unfinished_of_all
-- Unfinished runs of all DAGs in a range of states, newest first, by the partial index of unfinished runs: the plus sign keeps the order from its index.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE r.ended_at IS NULL AND r.state BETWEEN :first_state AND :last_state ORDER BY +r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: unfinished_of_dags (sqlite)
-- The unfinished runs of some DAGs, newest first, by the partial index of unfinished runs, of which there are few (CROSS): SQLite would read all runs
-- of these DAGs.
-- differs: how the planner is held to the partial index
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM dag_run AS r INDEXED BY dag_run_unfinished CROSS JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE r.ended_at IS NULL AND d.dag_id {in :dag_ids text} ORDER BY +r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: unfinished_of_dags (postgresql)
-- The unfinished runs of some DAGs, newest first, by the partial index of unfinished runs, of which there are few (OFFSET 0): PostgreSQL would read
-- all runs of these DAGs.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM (SELECT * FROM dag_run WHERE ended_at IS NULL OFFSET 0) AS r JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE d.dag_id {in :dag_ids text} ORDER BY +r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: state_lines_of_runs (sqlite)
-- For each of some runs the states of its task instances that are not mapped, by number of the task, as one JSON array: a hundred thousand of them
-- are passed on in some milliseconds. Also the first and the last number of a task, and the highest map index.
-- differs: functions that make JSON of rows, and their order
SELECT run_pk, (SELECT min(f.task_no) FROM task_instance AS f WHERE f.run_pk = t.run_pk), (SELECT max(l.task_no) FROM task_instance AS l WHERE l.run_pk = t.run_pk),
       max(map_index), json_group_array(state) FILTER (WHERE map_index < 0)
FROM task_instance AS t WHERE run_pk {in :run_pks bigint} GROUP BY run_pk;

-- name: state_lines_of_runs (postgresql)
SELECT run_pk, min(task_no), max(task_no), max(map_index), json_agg(state ORDER BY task_no) FILTER (WHERE map_index < 0)::text
FROM task_instance WHERE run_pk {in :run_pks bigint} GROUP BY run_pk;

-- name: line_numbers_of_runs (sqlite)
-- For each of some runs the number of the task of each state of `state_lines_of_runs`, in the same order.
-- differs: functions that make JSON of rows, and their order
SELECT run_pk, json_group_array(task_no) FILTER (WHERE map_index < 0)
FROM task_instance WHERE run_pk {in :run_pks bigint} GROUP BY run_pk;

-- name: line_numbers_of_runs (postgresql)
SELECT run_pk, json_agg(task_no ORDER BY task_no) FILTER (WHERE map_index < 0)::text
FROM task_instance WHERE run_pk {in :run_pks bigint} GROUP BY run_pk;

-- name: mapped_states_of_runs
-- The number of mapped task instances of each task of some runs in each state.
SELECT run_pk, task_no, state, count(*) FROM task_instance
WHERE run_pk {in :run_pks bigint} AND map_index >= 0 GROUP BY run_pk, task_no, state;

-- name: task_states_of_runs
-- The number of task instances of each task of some runs in each state.
SELECT run_pk, task_no, state, count(*) FROM task_instance
WHERE run_pk {in :run_pks bigint} GROUP BY run_pk, task_no, state;

-- name: live_task_instances
-- The task instances of some runs that are with a worker, which is the one that claimed the attempt, those that started first first.
SELECT run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, CASE WHEN worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = task_instance.attempt), worker) END, defer_seq, pool, pool_slots,
       priority, resume_at, started_at, ended_at, reason, return_length, rendered_map_index, factor_lengths, overrides
FROM task_instance WHERE run_pk {in :run_pks bigint} AND state IN (2, 3, 7)
ORDER BY started_at, run_pk, task_no, map_index LIMIT :limit;

-- name: overdue
-- The DAGs whose next run is planned for before an instant and does not exist yet, the longest overdue first.
SELECT dag_id, next_run_after FROM dag
WHERE active AND NOT paused AND next_run_after < :before ORDER BY next_run_after, dag_id LIMIT :limit;

-- name: slot_holder
-- The run that has a slot of a DAG.
SELECT run_pk, run_id, run_type, run_after FROM dag_run WHERE dag_pk = :dag_pk AND slot_key = :slot_key;

-- name: run_id_holder
-- The run of a DAG that has a run id.
SELECT run_pk, run_id, run_type FROM dag_run WHERE dag_pk = :dag_pk AND run_id = :run_id;

-- name: add
-- Insert a queued run, unless its run id or its slot is taken; slot_holder and run_id_holder tell which.
INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after,
       version_pk, state, conf, queued_at, stands_for, partition_key, partition_date)
VALUES (:dag_pk, :group_no, :run_id, :slot_key, :run_type, :logical_at, :interval_start, :interval_end, :run_after,
       :version_pk, 1, :conf, :queued_at, :stands_for, :partition_key, :partition_date)
ON CONFLICT DO NOTHING RETURNING run_pk;

-- name: totals
-- The number of runs of all DAGs in each state, in one row in the order of the states: a GROUP BY would sort the tallies of ten thousand DAGs.
SELECT sum(n) FILTER (WHERE state = 1), sum(n) FILTER (WHERE state = 2), sum(n) FILTER (WHERE state = 100), sum(n) FILTER (WHERE state = 101) FROM run_tally;

-- name: before
-- The newest run of a DAG before a position in the order of its runs.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE dag_pk = :dag_pk AND (run_after, run_pk) < (:run_after, :run_pk)
ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: before_in_state
-- The newest run of a DAG in one state before a position in the order of its runs.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE dag_pk = :dag_pk AND state = :state AND (run_after, run_pk) < (:run_after, :run_pk)
ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: newest_ended
-- Ended runs of a DAG, newest first, by the index over their order.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :limit;

-- name: success_durations
-- How long the successful ones of the newest ended runs of a DAG took, in microseconds, newest first, by the index over their order.
SELECT ended_at - started_at FROM (
    SELECT run_pk, run_after, state, started_at, ended_at FROM dag_run
    WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :looked_at
) AS newest WHERE state = 100 AND started_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :limit;

-- name: success_durations_of_dags (sqlite)
-- As `success_durations` for some DAGs, by DAG.
-- differs: PostgreSQL looks up each of the list with LATERAL, SQLite with a list of keys
SELECT r.dag_pk, r.ended_at - r.started_at FROM json_each(:dag_pks) AS k CROSS JOIN dag_run AS r
WHERE r.run_pk IN (
    SELECT l.run_pk FROM (SELECT n.run_pk, n.run_after, n.state, n.started_at FROM dag_run AS n
        WHERE n.dag_pk = k.value AND n.ended_at IS NOT NULL ORDER BY n.run_after DESC, n.run_pk DESC LIMIT :looked_at) AS l
    WHERE l.state = 100 AND l.started_at IS NOT NULL ORDER BY l.run_after DESC, l.run_pk DESC LIMIT :limit)
ORDER BY r.dag_pk, r.run_after DESC, r.run_pk DESC;

-- name: success_durations_of_dags (postgresql)
SELECT k.dag_pk, r.ended_at - r.started_at
FROM unnest(:dag_pks::bigint[]) AS k (dag_pk) CROSS JOIN LATERAL (
    SELECT l.* FROM (SELECT n.run_pk, n.run_after, n.state, n.started_at, n.ended_at FROM dag_run AS n
        WHERE n.dag_pk = k.dag_pk AND n.ended_at IS NOT NULL ORDER BY n.run_after DESC, n.run_pk DESC LIMIT :looked_at) AS l
    WHERE l.state = 100 AND l.started_at IS NOT NULL ORDER BY l.run_after DESC, l.run_pk DESC LIMIT :limit) AS r
ORDER BY k.dag_pk, r.run_after DESC, r.run_pk DESC;

-- name: unfinished
-- The unfinished runs of a DAG, newest first, by the partial index over its group.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE ended_at IS NULL AND dag_pk = :dag_pk AND group_no = (SELECT group_no FROM dag WHERE dag_pk = :dag_pk)
ORDER BY run_after DESC, run_pk DESC;

-- name: newest (sqlite)
-- The newest run of every DAG that has runs.
-- differs: PostgreSQL would read all runs for a join, but not for an array
SELECT dag_pk, run_id, state FROM dag_run WHERE run_pk IN (SELECT run_pk FROM newest_run);

-- name: newest (postgresql)
SELECT dag_pk, run_id, state FROM dag_run WHERE run_pk = ANY(ARRAY(SELECT run_pk FROM newest_run));

-- name: task_instances
-- The task instances of a run. The worker is the one that claimed the attempt, if its executor has a message broker.
SELECT run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, CASE WHEN worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = task_instance.attempt), worker) END, defer_seq, pool, pool_slots,
       priority, resume_at, started_at, ended_at, reason, return_length, rendered_map_index, factor_lengths, overrides
FROM task_instance WHERE run_pk = :run_pk ORDER BY task_no, map_index;

-- name: task_instances_of_task
-- The stored task instances of one task of a run.
SELECT run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, CASE WHEN worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = task_instance.attempt), worker) END, defer_seq, pool, pool_slots,
       priority, resume_at, started_at, ended_at, reason, return_length, rendered_map_index, factor_lengths, overrides
FROM task_instance WHERE run_pk = :run_pk AND task_no = :task_no ORDER BY task_no, map_index;

-- name: attempts
-- The attempts of a run.
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log
FROM attempt WHERE run_pk = :run_pk ORDER BY task_no, map_index, seq;

-- name: instance_times
-- When the task instances of a run started and ended, as many as are wanted.
SELECT task_no, map_index, state, try_number, started_at, ended_at, resume_at, rendered_map_index
FROM task_instance WHERE run_pk = :run_pk ORDER BY task_no, map_index LIMIT :limit;

-- name: attempt_times
-- When the attempts of a run that executed a task started and ended, as many as are wanted.
SELECT task_no, map_index, try_number, state, started_at, ended_at
FROM attempt WHERE run_pk = :run_pk AND kind = 'task' ORDER BY task_no, map_index, seq LIMIT :limit;

-- name: attempts_of_task
-- The attempts of one task of a run, of all map indexes.
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log
FROM attempt WHERE run_pk = :run_pk AND task_no = :task_no ORDER BY map_index, seq;

-- name: first_reschedule
-- When the first rescheduled attempt of a task instance started, from a try on; by the primary key.
SELECT started_at FROM attempt
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND try_number >= :first_try
  AND state = 'up_for_reschedule' AND started_at IS NOT NULL ORDER BY seq LIMIT 1;

-- name: workers_of_attempts
-- The workers of ended attempts, which are given as run, task, map index and number. SQLite begins with the given keys (CROSS).
WITH wanted AS MATERIALIZED ({tuples :keys run_pk bigint, task_no integer, map_index integer, seq integer})
SELECT a.run_pk, a.task_no, a.map_index, a.worker FROM wanted AS w
{cross} JOIN attempt AS a ON a.run_pk = w.run_pk AND a.task_no = w.task_no AND a.map_index = w.map_index AND a.seq = w.seq WHERE a.worker IS NOT NULL;

-- name: attempts_of_task_instance
-- The attempts of one task instance.
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log
FROM attempt WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index ORDER BY seq;

-- name: day_counts
-- The number of runs of a DAG in each state that are due on each day of a span in which the clocks of a zone do not change, by the index over their
-- order. `shift`: the offset of the zone from UTC; days are counted from 1970-01-01. Of more runs than `most`, the newest are counted.
SELECT (r.run_after + :shift) / 86400000000, r.state, count(*) FROM (
    SELECT run_after, state FROM dag_run WHERE dag_pk = :dag_pk AND run_after >= :start AND run_after < :until
    ORDER BY run_after DESC, run_pk DESC LIMIT :most
) AS r GROUP BY 1, 2;
