-- name: states
-- The task instances of a run.
SELECT run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, worker, defer_seq, pool, pool_slots,
       priority, resume_at, started_at, ended_at, reason
FROM task_instance WHERE run_pk = :run_pk ORDER BY task_no, map_index;

-- name: attempts
-- The attempts of a run.
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log
FROM attempt WHERE run_pk = :run_pk ORDER BY task_no, map_index, seq;

-- name: attempts_of_task
-- The attempts of one task of a run, all map indexes.
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log
FROM attempt WHERE run_pk = :run_pk AND task_no = :task_no ORDER BY map_index, seq;

-- name: first_reschedule
-- When the first attempt of a task instance began that was rescheduled, from a try on; by the primary key.
SELECT started_at FROM attempt
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND try_number >= :first_try
  AND state = 'up_for_reschedule' AND started_at IS NOT NULL ORDER BY seq LIMIT 1;

-- name: attempts_of_instance
-- The attempts of one task instance.
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log
FROM attempt WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index ORDER BY seq;
