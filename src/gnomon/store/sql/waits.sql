-- name: note (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, on_kill boolean
-- Who runs the triggers of waits that are over is told; where somebody did and nobody does, whoever comes next. A batch is one row at a time here.
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, :on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM trigger
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND (triggerer IS NOT NULL OR :on_kill AND begun AND NOT sent);

-- name: note (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, on_kill boolean
-- Who runs the triggers of waits that are over is told; where somebody did and nobody does, whoever comes next. All rows are locked first, in their order: nobody claims one between this and their end.
WITH held AS (SELECT t.*, r.on_kill FROM :rows JOIN trigger AS t
    ON t.run_pk = r.run_pk AND t.task_no = r.task_no AND t.map_index = r.map_index ORDER BY t.trigger_pk FOR UPDATE OF t)
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM held
WHERE triggerer IS NOT NULL OR on_kill AND begun AND NOT sent;

-- name: remove (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer
-- Waits that are over. A batch is one row at a time here.
DELETE FROM trigger WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;

-- name: remove (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer
-- Waits that are over. A batch is one statement here.
DELETE FROM trigger USING :rows WHERE trigger.run_pk = r.run_pk AND trigger.task_no = r.task_no AND trigger.map_index = r.map_index;

-- name: add (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, dag_pk bigint, classpath text, kwargs text, next_method text, next_kwargs text, queue text, due_at bigint, due_in_s float8, timeout_at bigint, timeout_s float8, ends_task boolean, held_slots integer, fired text, priority integer, created_at bigint
-- New waits. A batch is one row at a time here.
INSERT INTO trigger (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at)
VALUES (:run_pk, :task_no, :map_index, :defer_seq, :dag_pk, :classpath, :kwargs, :next_method, :next_kwargs, :queue,
       :due_at, :due_in_s, :timeout_at, :timeout_s, :ends_task, :held_slots, :fired, :priority, :created_at);

-- name: add (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, dag_pk bigint, classpath text, kwargs text, next_method text, next_kwargs text, queue text, due_at bigint, due_in_s float8, timeout_at bigint, timeout_s float8, ends_task boolean, held_slots integer, fired text, priority integer, created_at bigint
-- New waits. A batch is one statement here.
INSERT INTO trigger (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at)
SELECT run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at FROM :rows;

-- name: fire (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, held_slots integer, fired text
-- How waits ended, kept for the attempts that go on; nobody runs them any more. A batch is one row at a time here.
UPDATE trigger SET fired = :fired, held_slots = :held_slots, triggerer = NULL
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;

-- name: fire (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, held_slots integer, fired text
-- How waits ended, kept for the attempts that go on; nobody runs them any more. A batch is one statement here.
UPDATE trigger SET fired = r.fired, held_slots = r.held_slots, triggerer = NULL FROM :rows
WHERE trigger.run_pk = r.run_pk AND trigger.task_no = r.task_no AND trigger.map_index = r.map_index;

-- name: of_runs (sqlite)
-- The waits of some runs, each a range of the unique key; what their triggers are called with is not for their owner. SQLite opens the list with json_each.
SELECT run_pk, task_no, map_index, defer_seq, dag_pk, classpath, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at
FROM trigger WHERE run_pk IN (SELECT value FROM json_each(:run_pks)) ORDER BY run_pk, task_no, map_index;

-- name: of_runs (postgresql)
-- The waits of some runs, each a range of the unique key; what their triggers are called with is not for their owner. PostgreSQL takes the list as an array.
SELECT run_pk, task_no, map_index, defer_seq, dag_pk, classpath, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, fired, priority, created_at
FROM trigger WHERE run_pk = ANY(:run_pks::bigint[]) ORDER BY run_pk, task_no, map_index;
