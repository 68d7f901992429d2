-- name: add (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, try_number integer, request text, created_at bigint, due_at bigint
-- Insert questions, with what their runs are listed by; an unknown run is refused by NOT NULL.
-- differs: an outer join of the row of a batch
INSERT INTO hitl_detail (run_pk, task_no, map_index, defer_seq, try_number, request, created_at, due_at, dag_pk, run_id, run_after)
SELECT :run_pk, :task_no, :map_index, :defer_seq, :try_number, :request, :created_at, :due_at, d.dag_pk, d.run_id, d.run_after
FROM (SELECT 1) AS one LEFT JOIN dag_run AS d ON d.run_pk = :run_pk;

-- name: add (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, try_number integer, request text, created_at bigint, due_at bigint
INSERT INTO hitl_detail (run_pk, task_no, map_index, defer_seq, try_number, request, created_at, due_at, dag_pk, run_id, run_after)
SELECT r.run_pk, r.task_no, r.map_index, r.defer_seq, r.try_number, r.request, r.created_at, r.due_at, d.dag_pk, d.run_id, d.run_after
FROM {rows} LEFT JOIN dag_run AS d ON d.run_pk = r.run_pk;

-- name: set_response
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, response text, responded_at bigint
-- Store the answers to questions.
UPDATE hitl_detail SET response = :response, responded_at = :responded_at {from rows}
WHERE hitl_detail.run_pk = :run_pk AND hitl_detail.task_no = :task_no AND hitl_detail.map_index = :map_index
  AND hitl_detail.defer_seq = :defer_seq;

-- name: set_states
-- rows: run_pk bigint, task_no integer, map_index integer, state smallint
-- Store the state of task instances with their questions, of which most have none.
UPDATE hitl_detail SET state = :state {from rows}
WHERE hitl_detail.run_pk = :run_pk AND hitl_detail.task_no = :task_no AND hitl_detail.map_index = :map_index AND hitl_detail.state <> :state;

-- name: remove
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete the questions of task instances in whose place instances with map indices come.
DELETE FROM hitl_detail {using rows}
WHERE hitl_detail.run_pk = :run_pk AND hitl_detail.task_no = :task_no AND hitl_detail.map_index = :map_index;

-- name: open
-- The questions that tasks wait with, the oldest first, with the names of their task instances.
SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq, h.try_number, h.request, h.created_at, h.due_at, h.response,
       d.dag_id, r.run_id, n.task_id
FROM hitl_detail AS h
     JOIN trigger AS t ON t.run_pk = h.run_pk AND t.task_no = h.task_no AND t.map_index = h.map_index AND t.defer_seq = h.defer_seq
     JOIN dag_run AS r ON r.run_pk = h.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
     JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = h.task_no
WHERE h.responded_at IS NULL AND t.result IS NULL ORDER BY h.created_at, h.run_pk, h.task_no, h.map_index;

-- name: of_run
-- All questions of a run, the oldest first, with the names of their task instances.
SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq, h.try_number, h.request, h.created_at, h.due_at, h.response,
       d.dag_id, r.run_id, n.task_id
FROM hitl_detail AS h JOIN dag_run AS r ON r.run_pk = h.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
     JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = h.task_no
WHERE h.run_pk = :run_pk ORDER BY h.created_at, h.task_no, h.map_index, h.defer_seq;
