-- name: put
-- rows: id text, run_pk bigint, dag_pk bigint, request text, created_at bigint, state text, tries smallint, attempt text, worker text, started_at bigint, ended_at bigint, reason text, log text
-- Insert or replace callbacks of runs that exist.
INSERT INTO run_callback (id, run_pk, dag_pk, request, created_at, state, tries, attempt, worker, started_at, ended_at, reason, log)
SELECT :id, :run_pk, :dag_pk, :request, :created_at, :state, :tries, :attempt, :worker, :started_at, :ended_at, :reason, :log
FROM {rows,} dag_run AS d WHERE d.run_pk = :run_pk
ON CONFLICT (id) DO UPDATE SET state = excluded.state, tries = excluded.tries, attempt = excluded.attempt, worker = excluded.worker,
       started_at = excluded.started_at, ended_at = excluded.ended_at, reason = excluded.reason;

-- name: remove
-- rows: id text
-- Delete some callbacks.
DELETE FROM run_callback {using rows} WHERE run_callback.id = :id;

-- name: unfinished_of_groups
-- The unfinished callbacks of the DAGs of some groups, oldest first.
SELECT c.id, c.run_pk, c.dag_pk, c.request, c.created_at, c.state, c.tries, c.attempt, c.worker, c.started_at, c.ended_at, c.reason, c.log
FROM run_callback AS c JOIN dag AS d ON d.dag_pk = c.dag_pk
WHERE c.ended_at IS NULL AND d.group_no {in :groups bigint} ORDER BY c.created_at, c.id;

-- name: of_run
-- The callbacks of a run, oldest first. The worker is the one that claimed the attempt, if its executor has a message broker.
SELECT id, run_pk, dag_pk, request, created_at, state, tries, attempt,
       CASE WHEN worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = run_callback.attempt), worker) END,
       started_at, ended_at, reason, log
FROM run_callback WHERE run_pk = :run_pk ORDER BY created_at, id;

-- name: put_deadlines
-- rows: run_pk bigint, deadline_no smallint, state text, due_at bigint, name text, missed_at bigint
-- Insert or replace deadlines of runs that exist.
INSERT INTO run_deadline (run_pk, deadline_no, state, due_at, name, missed_at)
SELECT :run_pk, :deadline_no, :state, :due_at, :name, :missed_at FROM {rows,} dag_run AS d WHERE d.run_pk = :run_pk
ON CONFLICT (run_pk, deadline_no) DO UPDATE SET state = excluded.state, due_at = excluded.due_at, name = excluded.name, missed_at = excluded.missed_at;

-- name: prune_deadlines
-- rows: run_pk bigint
-- Delete the deadlines of some runs, except those that were missed.
DELETE FROM run_deadline {using rows} WHERE run_deadline.run_pk = :run_pk AND run_deadline.state <> 'missed';

-- name: deadlines_of_runs
-- The deadlines of some runs, in order.
SELECT run_pk, deadline_no, state, due_at, name, missed_at FROM run_deadline
WHERE run_pk {in :run_pks bigint} ORDER BY run_pk, deadline_no;

-- name: durations
-- The durations of the newest ended runs of a DAG, in microseconds.
SELECT ended_at - started_at FROM dag_run
WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL AND started_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :limit;
