-- name: runs
-- rows: run_pk bigint, state smallint, started_at bigint, ended_at bigint, reason text, version_pk bigint, clear_number integer, queued_at bigint, conf text, bundle_version text
-- Write what may change in a run.
UPDATE dag_run SET state = :state, started_at = :started_at, ended_at = :ended_at, reason = :reason,
       version_pk = :version_pk, clear_number = :clear_number, queued_at = :queued_at, conf = :conf, bundle_version = :bundle_version
{from rows} WHERE dag_run.run_pk = :run_pk;

-- name: task_instances
-- rows: run_pk bigint, task_no integer, map_index integer, state smallint, try_number integer, max_tries integer, seq integer, attempt text, worker text, defer_seq integer, pool text, pool_slots integer, priority integer, resume_at bigint, started_at bigint, ended_at bigint, reason text, return_length integer, rendered_map_index text, factor_lengths text, overrides text
-- Insert or replace task instances of runs that exist.
INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, worker, defer_seq, pool,
       pool_slots, priority, resume_at, started_at, ended_at, reason, return_length, rendered_map_index, factor_lengths, overrides, version_pk)
SELECT :run_pk, :task_no, :map_index, :state, :try_number, :max_tries, :seq, :attempt, :worker, :defer_seq, :pool,
       :pool_slots, :priority, :resume_at, :started_at, :ended_at, :reason, :return_length, :rendered_map_index, :factor_lengths, :overrides,
       d.version_pk
FROM {rows,} dag_run AS d WHERE d.run_pk = :run_pk
ON CONFLICT (run_pk, task_no, map_index) DO UPDATE SET state = excluded.state, try_number = excluded.try_number,
       max_tries = excluded.max_tries, seq = excluded.seq, attempt = excluded.attempt, worker = excluded.worker,
       defer_seq = excluded.defer_seq, pool = excluded.pool, pool_slots = excluded.pool_slots,
       priority = excluded.priority, resume_at = excluded.resume_at, started_at = excluded.started_at,
       ended_at = excluded.ended_at, reason = excluded.reason, return_length = excluded.return_length,
       rendered_map_index = excluded.rendered_map_index, factor_lengths = excluded.factor_lengths, overrides = excluded.overrides,
       version_pk = excluded.version_pk;

-- name: delete_task_instances
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete task instances in whose place instances with map indices come.
DELETE FROM task_instance {using rows}
WHERE task_instance.run_pk = :run_pk AND task_instance.task_no = :task_no AND task_instance.map_index = :map_index;

-- name: attempts
-- rows: run_pk bigint, task_no integer, map_index integer, seq integer, attempt text, try_number integer, kind text, state text, reason text, worker text, started_at bigint, ended_at bigint, exit_code integer, log text
-- Insert attempts that have ended; an attempt that is stored already is not counted. The worker is the one that claimed it.
INSERT INTO attempt (run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log)
{values :run_pk, :task_no, :map_index, :seq, :attempt, :try_number, :kind, :state, :reason,
       COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = :attempt), :worker), :started_at, :ended_at, :exit_code, :log}
ON CONFLICT (run_pk, task_no, map_index, seq) DO NOTHING;

-- name: delete_xcoms
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete the XComs of these task instances.
DELETE FROM xcom {using rows} WHERE xcom.run_pk = :run_pk AND xcom.task_no = :task_no AND xcom.map_index = :map_index;

-- name: xcoms
-- rows: run_pk bigint, task_no integer, map_index integer, key text, value text
-- Insert XComs; a later value replaces an earlier one.
INSERT INTO xcom (run_pk, task_no, map_index, key, value) {values :run_pk, :task_no, :map_index, :key, :value}
ON CONFLICT (run_pk, task_no, map_index, key) DO UPDATE SET value = excluded.value;

-- name: delete_rendered_fields
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete the rendered fields of task instances in whose place instances with map indices come.
DELETE FROM rendered_fields {using rows}
WHERE rendered_fields.run_pk = :run_pk AND rendered_fields.task_no = :task_no AND rendered_fields.map_index = :map_index;

-- name: rendered_fields
-- rows: run_pk bigint, task_no integer, map_index integer, fields text
-- Insert the rendered fields of an attempt; those of a later attempt replace them.
INSERT INTO rendered_fields (run_pk, task_no, map_index, fields) {values :run_pk, :task_no, :map_index, :fields}
ON CONFLICT (run_pk, task_no, map_index) DO UPDATE SET fields = excluded.fields;

-- name: pool_slots
-- Take slots of a pool if they are free, or give slots back.
UPDATE pool SET used = used + :n WHERE name = :name AND (:n <= 0 OR slots = -1 OR used + :n <= slots);

-- name: tallies
-- rows: dag_pk bigint, state smallint, n bigint
-- Add to the number of runs by state.
INSERT INTO run_tally (dag_pk, state, n) {values :dag_pk, :state, :n}
ON CONFLICT (dag_pk, state) DO UPDATE SET n = run_tally.n + excluded.n;

-- name: events
-- rows: at bigint, kind text, dag_pk bigint, run_pk bigint, task_no integer, map_index integer, by text, body text, address text
-- Insert rows of the audit log.
INSERT INTO event_log (at, kind, dag_pk, run_pk, task_no, map_index, by, body, address)
{values :at, :kind, :dag_pk, :run_pk, :task_no, :map_index, :by, :body, :address};

-- name: pause_dag
-- Pause a DAG for its owner; a plan that was made with the earlier plan_seq is refused.
UPDATE dag SET paused = TRUE, plan_seq = plan_seq + 1 WHERE dag_pk = :dag_pk AND NOT paused;

-- name: require_fresh_interpreter
-- From now on the tasks of a file need a fresh interpreter.
UPDATE file SET fresh = :reason WHERE path = :path;

-- name: answer_request
-- Store the answer to a request.
UPDATE request SET state = :state, answer = :answer WHERE request_pk = :request_pk AND state = 'pending';

-- name: move_cursor
-- Move the cursor, if the DAG was not paused or changed since it was read (PLAN in docs/contributing/ownership.md).
UPDATE dag SET cursor = :cursor, next_run_after = :next_run_after, next_body = :next_body, fingerprint = :fingerprint,
       error = :error, live_at = COALESCE(:live_at, live_at), plan_seq = plan_seq + 1
WHERE dag_pk = :dag_pk AND plan_seq = :expected AND NOT paused;

-- name: set_dag_error
-- Show an error on a DAG.
UPDATE dag SET error = :error WHERE dag_pk = :dag_pk;

-- name: reject_plan
-- A planned run could not be created: keep the cursor, show the error, and have the timetable wanted again for the slot.
UPDATE dag SET error = :error, plan_seq = plan_seq + 1, next_run_after = NULL, next_body = NULL
WHERE dag_pk = :dag_pk AND plan_seq = :expected AND NOT paused;

-- name: insert_planned_run
-- Insert a planned run, unless its slot or its run id is taken; dag_runs.slot_holder tells which.
INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after,
       version_pk, state, conf, queued_at, partition_key, partition_date)
VALUES (:dag_pk, :group_no, :run_id, :slot_key, :run_type, :logical_at, :interval_start, :interval_end, :run_after,
       :version_pk, 1, '{}', :queued_at, :partition_key, :partition_date)
ON CONFLICT DO NOTHING RETURNING run_pk;

-- name: set_stands_for
-- A manual run that has a planned slot stands for the slot, or for the first one if several slots have its logical date.
UPDATE dag_run SET stands_for = :slot
WHERE run_pk = :run_pk AND stands_for IS NULL AND run_type NOT IN ('scheduled', 'backfill');
