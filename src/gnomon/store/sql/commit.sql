-- name: run (sqlite)
-- rows: run_pk bigint, state smallint, started_at bigint, ended_at bigint, reason text, version_pk bigint, clear_number integer, queued_at bigint, conf text
-- Writes what may change in a run. A batch is one row at a time here.
UPDATE dag_run SET state = :state, started_at = :started_at, ended_at = :ended_at, reason = :reason,
       version_pk = :version_pk, clear_number = :clear_number, queued_at = :queued_at, conf = :conf
WHERE run_pk = :run_pk;

-- name: run (postgresql)
-- rows: run_pk bigint, state smallint, started_at bigint, ended_at bigint, reason text, version_pk bigint, clear_number integer, queued_at bigint, conf text
-- Writes what may change in a run. A batch is one statement here.
UPDATE dag_run SET state = r.state, started_at = r.started_at, ended_at = r.ended_at, reason = r.reason,
       version_pk = r.version_pk, clear_number = r.clear_number, queued_at = r.queued_at, conf = r.conf
FROM :rows WHERE dag_run.run_pk = r.run_pk;

-- name: task (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, state smallint, try_number integer, max_tries integer, seq integer, attempt text, worker text, defer_seq integer, pool text, pool_slots integer, priority integer, resume_at bigint, started_at bigint, ended_at bigint, reason text
-- Inserts or replaces task instances of runs that exist. A batch is one row at a time here.
INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, worker, defer_seq, pool,
       pool_slots, priority, resume_at, started_at, ended_at, reason, version_pk)
SELECT run_pk, :task_no, :map_index, :state, :try_number, :max_tries, :seq, :attempt, :worker, :defer_seq, :pool,
       :pool_slots, :priority, :resume_at, :started_at, :ended_at, :reason, version_pk
FROM dag_run WHERE run_pk = :run_pk
ON CONFLICT (run_pk, task_no, map_index) DO UPDATE SET state = excluded.state, try_number = excluded.try_number,
       max_tries = excluded.max_tries, seq = excluded.seq, attempt = excluded.attempt, worker = excluded.worker,
       defer_seq = excluded.defer_seq, pool = excluded.pool, pool_slots = excluded.pool_slots,
       priority = excluded.priority, resume_at = excluded.resume_at, started_at = excluded.started_at,
       ended_at = excluded.ended_at, reason = excluded.reason, version_pk = excluded.version_pk;

-- name: task (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, state smallint, try_number integer, max_tries integer, seq integer, attempt text, worker text, defer_seq integer, pool text, pool_slots integer, priority integer, resume_at bigint, started_at bigint, ended_at bigint, reason text
-- Inserts or replaces task instances of runs that exist. A batch is one statement here.
INSERT INTO task_instance (run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, worker, defer_seq, pool,
       pool_slots, priority, resume_at, started_at, ended_at, reason, version_pk)
SELECT r.run_pk, r.task_no, r.map_index, r.state, r.try_number, r.max_tries, r.seq, r.attempt, r.worker, r.defer_seq, r.pool,
       r.pool_slots, r.priority, r.resume_at, r.started_at, r.ended_at, r.reason, d.version_pk
FROM :rows JOIN dag_run AS d ON d.run_pk = r.run_pk
ON CONFLICT (run_pk, task_no, map_index) DO UPDATE SET state = excluded.state, try_number = excluded.try_number,
       max_tries = excluded.max_tries, seq = excluded.seq, attempt = excluded.attempt, worker = excluded.worker,
       defer_seq = excluded.defer_seq, pool = excluded.pool, pool_slots = excluded.pool_slots,
       priority = excluded.priority, resume_at = excluded.resume_at, started_at = excluded.started_at,
       ended_at = excluded.ended_at, reason = excluded.reason, version_pk = excluded.version_pk;

-- name: attempt (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, seq integer, attempt text, try_number integer, kind text, state text, reason text, worker text, started_at bigint, ended_at bigint, exit_code integer, log text
-- Inserts attempts, each once at its end; one that is recorded already is not counted. A batch is one row at a time here.
INSERT INTO attempt (run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log)
VALUES (:run_pk, :task_no, :map_index, :seq, :attempt, :try_number, :kind, :state, :reason, :worker, :started_at, :ended_at, :exit_code, :log)
ON CONFLICT (run_pk, task_no, map_index, seq) DO NOTHING;

-- name: attempt (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, seq integer, attempt text, try_number integer, kind text, state text, reason text, worker text, started_at bigint, ended_at bigint, exit_code integer, log text
-- Inserts attempts, each once at its end; one that is recorded already is not counted. A batch is one statement here.
INSERT INTO attempt (run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log)
SELECT run_pk, task_no, map_index, seq, attempt, try_number, kind, state, reason, worker, started_at, ended_at, exit_code, log FROM :rows
ON CONFLICT (run_pk, task_no, map_index, seq) DO NOTHING;

-- name: xcom_clear (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer
-- The XComs of these task instances go. A batch is one row at a time here.
DELETE FROM xcom WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;

-- name: xcom_clear (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer
-- The XComs of these task instances go. A batch is one statement here.
DELETE FROM xcom USING :rows WHERE xcom.run_pk = r.run_pk AND xcom.task_no = r.task_no AND xcom.map_index = r.map_index;

-- name: xcom (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, key text, value text
-- XComs; a later value replaces an earlier one. A batch is one row at a time here.
INSERT INTO xcom (run_pk, task_no, map_index, key, value) VALUES (:run_pk, :task_no, :map_index, :key, :value)
ON CONFLICT (run_pk, task_no, map_index, key) DO UPDATE SET value = excluded.value;

-- name: xcom (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, key text, value text
-- XComs; a later value replaces an earlier one. A batch is one statement here.
INSERT INTO xcom (run_pk, task_no, map_index, key, value) SELECT run_pk, task_no, map_index, key, value FROM :rows
ON CONFLICT (run_pk, task_no, map_index, key) DO UPDATE SET value = excluded.value;

-- name: pool
-- Takes slots of a pool, if they are free, or gives them back.
UPDATE pool SET used = used + :n WHERE name = :name AND (:n <= 0 OR slots = -1 OR used + :n <= slots);

-- name: tally (sqlite)
-- rows: dag_pk bigint, state smallint, n bigint
-- Adds to the number of runs by state. A batch is one row at a time here.
INSERT INTO run_tally (dag_pk, state, n) VALUES (:dag_pk, :state, :n)
ON CONFLICT (dag_pk, state) DO UPDATE SET n = run_tally.n + excluded.n;

-- name: tally (postgresql)
-- rows: dag_pk bigint, state smallint, n bigint
-- Adds to the number of runs by state. A batch is one statement here.
INSERT INTO run_tally (dag_pk, state, n) SELECT dag_pk, state, n FROM :rows
ON CONFLICT (dag_pk, state) DO UPDATE SET n = run_tally.n + excluded.n;

-- name: event (sqlite)
-- rows: at bigint, kind text, dag_pk bigint, run_pk bigint, task_no integer, map_index integer, by text, body text
-- Lines of the audit log. A batch is one row at a time here.
INSERT INTO event_log (at, kind, dag_pk, run_pk, task_no, map_index, by, body)
VALUES (:at, :kind, :dag_pk, :run_pk, :task_no, :map_index, :by, :body);

-- name: event (postgresql)
-- rows: at bigint, kind text, dag_pk bigint, run_pk bigint, task_no integer, map_index integer, by text, body text
-- Lines of the audit log. A batch is one statement here.
INSERT INTO event_log (at, kind, dag_pk, run_pk, task_no, map_index, by, body)
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body FROM :rows;

-- name: pause
-- The owner pauses a DAG of its own accord; what was planned under the old number is refused.
UPDATE dag SET paused = TRUE, plan_seq = plan_seq + 1 WHERE dag_pk = :dag_pk AND NOT paused;

-- name: fresh
-- The tasks of a file need a fresh interpreter from now on.
UPDATE file SET fresh = :reason WHERE path = :path;

-- name: answer
-- A request has its answer.
UPDATE request SET state = :state, answer = :answer WHERE request_pk = :request_pk AND state = 'pending';

-- name: plan
-- The cursor moves, if nobody paused or changed the DAG since it was read (OWNERSHIP.md line 22).
UPDATE dag SET cursor = :cursor, next_run_after = :next_run_after, next_body = :next_body, fingerprint = :fingerprint,
       error = :error, live_at = COALESCE(:live_at, live_at), plan_seq = plan_seq + 1
WHERE dag_pk = :dag_pk AND plan_seq = :believed AND NOT paused;

-- name: plan_error
-- A sentence stands on a DAG.
UPDATE dag SET error = :error WHERE dag_pk = :dag_pk;

-- name: plan_refused
-- A planned run could not be made: the cursor stays, the sentence stands, and the timetable is asked for its slot once more.
UPDATE dag SET error = :error, plan_seq = plan_seq + 1, next_run_after = NULL, next_body = NULL
WHERE dag_pk = :dag_pk AND plan_seq = :believed AND NOT paused;

-- name: plan_run
-- A planned run, unless its slot or its run id is taken; which of them, the next question says.
INSERT INTO dag_run (dag_pk, group_no, run_id, slot_key, run_type, logical_at, interval_start, interval_end, run_after,
       version_pk, state, conf, queued_at)
VALUES (:dag_pk, :group_no, :run_id, :slot_key, :run_type, :logical_at, :interval_start, :interval_end, :run_after,
       :version_pk, 1, '{}', :queued_at)
ON CONFLICT DO NOTHING RETURNING run_pk;

-- name: stand
-- A run by hand that holds a planned slot stands for it, for the first one if its logical date is that of several.
UPDATE dag_run SET stands_for = :slot
WHERE run_pk = :run_pk AND stands_for IS NULL AND run_type NOT IN ('scheduled', 'backfill');
