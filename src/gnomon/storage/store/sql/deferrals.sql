-- name: end_triggers (sqlite)
-- rows: run_pk bigint, task_no integer, map_index integer, on_kill boolean
-- Tell the triggerers of these triggers that they must end; where no triggerer runs one any more and on_kill is due, the next triggerer calls it.
-- differs: PostgreSQL locks the rows in one order before it changes them
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, :on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM trigger
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND (triggerer IS NOT NULL OR :on_kill AND claimed_once AND NOT sent);

-- name: end_triggers (postgresql)
-- rows: run_pk bigint, task_no integer, map_index integer, on_kill boolean
-- All rows are locked first, in the order of their keys, so that no triggerer claims one before it is deleted.
WITH held AS (SELECT t.*, r.on_kill FROM {rows} JOIN trigger AS t
    ON t.run_pk = r.run_pk AND t.task_no = r.task_no AND t.map_index = r.map_index ORDER BY t.trigger_pk FOR UPDATE OF t)
INSERT INTO trigger_end (trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue)
SELECT trigger_pk, triggerer, on_kill, run_pk, task_no, map_index, dag_pk, classpath, kwargs, queue FROM held
WHERE triggerer IS NOT NULL OR on_kill AND claimed_once AND NOT sent;

-- name: remove
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete deferrals.
DELETE FROM trigger {using rows} WHERE trigger.run_pk = :run_pk AND trigger.task_no = :task_no AND trigger.map_index = :map_index;

-- name: add
-- rows: run_pk bigint, task_no integer, map_index integer, defer_seq integer, dag_pk bigint, classpath text, kwargs text, next_method text, next_kwargs text, queue text, due_at bigint, due_in_s float8, timeout_at bigint, timeout_s float8, ends_task boolean, held_slots integer, result text, priority integer, created_at bigint
-- Insert deferrals.
INSERT INTO trigger (run_pk, task_no, map_index, defer_seq, dag_pk, classpath, kwargs, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, result, priority, created_at)
{values :run_pk, :task_no, :map_index, :defer_seq, :dag_pk, :classpath, :kwargs, :next_method, :next_kwargs, :queue, :due_at,
       :due_in_s, :timeout_at, :timeout_s, :ends_task, :held_slots, :result, :priority, :created_at};

-- name: set_result
-- rows: run_pk bigint, task_no integer, map_index integer, held_slots integer, result text
-- Store how deferrals ended, for the attempts that continue; no triggerer runs their triggers any more.
UPDATE trigger SET result = :result, held_slots = :held_slots, triggerer = NULL {from rows}
WHERE trigger.run_pk = :run_pk AND trigger.task_no = :task_no AND trigger.map_index = :map_index;

-- name: of_runs
-- The deferrals of some runs, each a range of the unique key, with their questions, without the arguments of the triggers.
SELECT run_pk, task_no, map_index, defer_seq, dag_pk, classpath, next_method, next_kwargs, queue, due_at,
       due_in_s, timeout_at, timeout_s, ends_task, held_slots, result, priority, created_at,
       (SELECT request FROM hitl_detail AS h WHERE h.run_pk = trigger.run_pk AND h.task_no = trigger.task_no
            AND h.map_index = trigger.map_index AND h.defer_seq = trigger.defer_seq)
FROM trigger WHERE run_pk {in :run_pks bigint} ORDER BY run_pk, task_no, map_index;
