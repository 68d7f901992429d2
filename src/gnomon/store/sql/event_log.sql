-- name: of_run
-- The audit log of a run, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body FROM event_log WHERE run_pk = :run_pk
ORDER BY event_pk DESC LIMIT :limit;

-- name: of_dag
-- The audit log of a DAG, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body FROM event_log WHERE dag_pk = :dag_pk
ORDER BY event_pk DESC LIMIT :limit;

-- name: list
-- The whole audit log, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body FROM event_log ORDER BY event_pk DESC LIMIT :limit;

-- name: skipped_slots
-- The rows of the audit log about slots of a DAG that have no planned run, newest first, by the partial index.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body FROM event_log
WHERE dag_pk = :dag_pk AND kind IN ('slot_held', 'slots_passed') ORDER BY event_pk DESC LIMIT :limit;
