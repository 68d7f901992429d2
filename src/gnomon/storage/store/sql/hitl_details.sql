-- name: add (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, try_number integer, request text, created_at bigint, due_at bigint
-- Insert questions, with what their runs are listed by; an unknown run is refused by NOT NULL. SQLite runs a batch row by row.
INSERT INTO hitl_detail (run_pk, task_no, map_index, defer_seq, try_number, request, created_at, due_at, dag_pk, run_id, run_after)
SELECT :run_pk, :task_no, :map_index, :defer_seq, :try_number, :request, :created_at, :due_at, d.dag_pk, d.run_id, d.run_after
FROM (SELECT 1) AS one LEFT JOIN dag_run AS d ON d.run_pk = :run_pk;

-- name: add (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, try_number integer, request text, created_at bigint, due_at bigint
-- Insert questions, with what their runs are listed by; an unknown run is refused by NOT NULL. PostgreSQL runs a batch as one statement.
INSERT INTO hitl_detail (run_pk, task_no, map_index, defer_seq, try_number, request, created_at, due_at, dag_pk, run_id, run_after)
SELECT r.run_pk, r.task_no, r.map_index, r.defer_seq, r.try_number, r.request, r.created_at, r.due_at, d.dag_pk, d.run_id, d.run_after
FROM :rows LEFT JOIN dag_run AS d ON d.run_pk = r.run_pk;

-- name: set_response (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, response text, responded_at bigint
-- Store the answers to questions. SQLite runs a batch row by row.
UPDATE hitl_detail SET response = :response, responded_at = :responded_at
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND defer_seq = :defer_seq;

-- name: set_response (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, response text, responded_at bigint
-- Store the answers to questions. PostgreSQL runs a batch as one statement.
UPDATE hitl_detail SET response = r.response, responded_at = r.responded_at FROM :rows
WHERE hitl_detail.run_pk = r.run_pk AND hitl_detail.task_no = r.task_no AND hitl_detail.map_index = r.map_index
  AND hitl_detail.defer_seq = r.defer_seq;

-- name: set_states (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, state smallint
-- Store the state of task instances with their questions, of which most have none. SQLite runs a batch row by row.
UPDATE hitl_detail SET state = :state WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND state <> :state;

-- name: set_states (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, state smallint
-- Store the state of task instances with their questions, of which most have none. PostgreSQL runs a batch as one statement.
UPDATE hitl_detail SET state = r.state FROM :rows
WHERE hitl_detail.run_pk = r.run_pk AND hitl_detail.task_no = r.task_no AND hitl_detail.map_index = r.map_index AND hitl_detail.state <> r.state;

-- name: remove (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete the questions of task instances in whose place instances with map indices come. SQLite runs a batch row by row.
DELETE FROM hitl_detail WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;

-- name: remove (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete the questions of task instances in whose place instances with map indices come. PostgreSQL runs a batch as one statement.
DELETE FROM hitl_detail USING :rows
WHERE hitl_detail.run_pk = r.run_pk AND hitl_detail.task_no = r.task_no AND hitl_detail.map_index = r.map_index;

-- name: open
-- The questions that tasks wait with, the oldest first, with the names of their task instances.
SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq, h.try_number, h.request, h.created_at, h.due_at, h.response,
       d.dag_id, r.run_id, n.task_id
FROM hitl_detail AS h
     JOIN trigger AS t ON t.run_pk = h.run_pk AND t.task_no = h.task_no AND t.map_index = h.map_index AND t.defer_seq = h.defer_seq
     JOIN dag_run AS r ON r.run_pk = h.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
     JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = h.task_no
WHERE h.responded_at IS NULL AND t.fired IS NULL ORDER BY h.created_at, h.run_pk, h.task_no, h.map_index;

-- name: of_run
-- All questions of a run, the oldest first, with the names of their task instances.
SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq, h.try_number, h.request, h.created_at, h.due_at, h.response,
       d.dag_id, r.run_id, n.task_id
FROM hitl_detail AS h JOIN dag_run AS r ON r.run_pk = h.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
     JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = h.task_no
WHERE h.run_pk = :run_pk ORDER BY h.created_at, h.task_no, h.map_index, h.defer_seq;
