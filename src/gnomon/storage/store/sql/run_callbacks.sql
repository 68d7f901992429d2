-- name: put (sqlite)
-- rows: id text, run_pk bigint, dag_pk bigint, request text, created_at bigint, state text, tries smallint, attempt text, worker text, started_at bigint, ended_at bigint, reason text, log text
-- Insert or replace callbacks of runs that exist. SQLite runs a batch row by row.
INSERT INTO run_callback (id, run_pk, dag_pk, request, created_at, state, tries, attempt, worker, started_at, ended_at, reason, log)
SELECT :id, run_pk, :dag_pk, :request, :created_at, :state, :tries, :attempt, :worker, :started_at, :ended_at, :reason, :log
FROM dag_run WHERE run_pk = :run_pk
ON CONFLICT (id) DO UPDATE SET state = excluded.state, tries = excluded.tries, attempt = excluded.attempt, worker = excluded.worker,
       started_at = excluded.started_at, ended_at = excluded.ended_at, reason = excluded.reason;

-- name: put (postgresql)
-- rows: id text, run_pk bigint, dag_pk bigint, request text, created_at bigint, state text, tries smallint, attempt text, worker text, started_at bigint, ended_at bigint, reason text, log text
-- Insert or replace callbacks of runs that exist. PostgreSQL runs a batch as one statement.
INSERT INTO run_callback (id, run_pk, dag_pk, request, created_at, state, tries, attempt, worker, started_at, ended_at, reason, log)
SELECT r.id, r.run_pk, r.dag_pk, r.request, r.created_at, r.state, r.tries, r.attempt, r.worker, r.started_at, r.ended_at, r.reason, r.log
FROM :rows JOIN dag_run AS d ON d.run_pk = r.run_pk
ON CONFLICT (id) DO UPDATE SET state = excluded.state, tries = excluded.tries, attempt = excluded.attempt, worker = excluded.worker,
       started_at = excluded.started_at, ended_at = excluded.ended_at, reason = excluded.reason;

-- name: remove (sqlite)
-- rows: id text
-- Delete some callbacks. SQLite runs a batch row by row.
DELETE FROM run_callback WHERE id = :id;

-- name: remove (postgresql)
-- rows: id text
-- Delete some callbacks. PostgreSQL runs a batch as one statement.
DELETE FROM run_callback USING :rows WHERE run_callback.id = r.id;

-- name: unfinished_of_groups (sqlite)
-- The unfinished callbacks of the DAGs of some groups, oldest first. SQLite reads the list with json_each.
SELECT c.id, c.run_pk, c.dag_pk, c.request, c.created_at, c.state, c.tries, c.attempt, c.worker, c.started_at, c.ended_at, c.reason, c.log
FROM run_callback AS c JOIN dag AS d ON d.dag_pk = c.dag_pk
WHERE c.ended_at IS NULL AND d.group_no IN (SELECT value FROM json_each(:groups)) ORDER BY c.created_at, c.id;

-- name: unfinished_of_groups (postgresql)
-- The unfinished callbacks of the DAGs of some groups, oldest first. PostgreSQL takes the list as an array.
SELECT c.id, c.run_pk, c.dag_pk, c.request, c.created_at, c.state, c.tries, c.attempt, c.worker, c.started_at, c.ended_at, c.reason, c.log
FROM run_callback AS c JOIN dag AS d ON d.dag_pk = c.dag_pk
WHERE c.ended_at IS NULL AND d.group_no = ANY(:groups::bigint[]) ORDER BY c.created_at, c.id;

-- name: of_run
-- The callbacks of a run, oldest first. The worker is the one that claimed the attempt, if its executor has a message broker.
SELECT id, run_pk, dag_pk, request, created_at, state, tries, attempt,
       CASE WHEN worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = run_callback.attempt), worker) END,
       started_at, ended_at, reason, log
FROM run_callback WHERE run_pk = :run_pk ORDER BY created_at, id;

-- name: put_deadlines (sqlite)
-- rows: run_pk bigint, deadline_no smallint, state text, due_at bigint, name text, missed_at bigint
-- Insert or replace deadlines of runs that exist. SQLite runs a batch row by row.
INSERT INTO run_deadline (run_pk, deadline_no, state, due_at, name, missed_at)
SELECT run_pk, :deadline_no, :state, :due_at, :name, :missed_at FROM dag_run WHERE run_pk = :run_pk
ON CONFLICT (run_pk, deadline_no) DO UPDATE SET state = excluded.state, due_at = excluded.due_at, name = excluded.name, missed_at = excluded.missed_at;

-- name: put_deadlines (postgresql)
-- rows: run_pk bigint, deadline_no smallint, state text, due_at bigint, name text, missed_at bigint
-- Insert or replace deadlines of runs that exist. PostgreSQL runs a batch as one statement.
INSERT INTO run_deadline (run_pk, deadline_no, state, due_at, name, missed_at)
SELECT r.run_pk, r.deadline_no, r.state, r.due_at, r.name, r.missed_at FROM :rows JOIN dag_run AS d ON d.run_pk = r.run_pk
ON CONFLICT (run_pk, deadline_no) DO UPDATE SET state = excluded.state, due_at = excluded.due_at, name = excluded.name, missed_at = excluded.missed_at;

-- name: prune_deadlines (sqlite)
-- rows: run_pk bigint
-- Delete the deadlines of some runs, except those that were missed. SQLite runs a batch row by row.
DELETE FROM run_deadline WHERE run_pk = :run_pk AND state <> 'missed';

-- name: prune_deadlines (postgresql)
-- rows: run_pk bigint
-- Delete the deadlines of some runs, except those that were missed. PostgreSQL runs a batch as one statement.
DELETE FROM run_deadline USING :rows WHERE run_deadline.run_pk = r.run_pk AND run_deadline.state <> 'missed';

-- name: deadlines_of_runs (sqlite)
-- The deadlines of some runs, in order. SQLite reads the list with json_each.
SELECT run_pk, deadline_no, state, due_at, name, missed_at FROM run_deadline
WHERE run_pk IN (SELECT value FROM json_each(:run_pks)) ORDER BY run_pk, deadline_no;

-- name: deadlines_of_runs (postgresql)
-- The deadlines of some runs, in order. PostgreSQL takes the list as an array.
SELECT run_pk, deadline_no, state, due_at, name, missed_at FROM run_deadline
WHERE run_pk = ANY(:run_pks::bigint[]) ORDER BY run_pk, deadline_no;

-- name: durations
-- The durations of the newest ended runs of a DAG, in microseconds.
SELECT ended_at - started_at FROM dag_run
WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL AND started_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT :limit;
