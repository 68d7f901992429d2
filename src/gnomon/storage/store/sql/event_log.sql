-- name: of_run
-- The audit log of a run, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body, address FROM event_log WHERE run_pk = :run_pk
ORDER BY event_pk DESC LIMIT :limit;

-- name: of_dag
-- The audit log of a DAG, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body, address FROM event_log WHERE dag_pk = :dag_pk
ORDER BY event_pk DESC LIMIT :limit;

-- name: list
-- The whole audit log, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body, address FROM event_log ORDER BY event_pk DESC LIMIT :limit;

-- name: skipped_slots
-- The rows of the audit log about slots of a DAG that have no planned run, newest first, by the partial index.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body, address FROM event_log
WHERE dag_pk = :dag_pk AND kind IN ('slot_held', 'slots_passed') ORDER BY event_pk DESC LIMIT :limit;

-- name: deleted_runs
-- The rows of the audit log about deleted runs of a DAG, newest first.
SELECT at, kind, dag_pk, run_pk, task_no, map_index, by, body, address FROM event_log
WHERE dag_pk = :dag_pk AND kind = 'run_deleted' ORDER BY event_pk DESC LIMIT :limit;

-- name: creator
-- Who made a run.
SELECT by FROM event_log WHERE run_pk = :run_pk AND kind = 'run_created' ORDER BY event_pk LIMIT 1;

-- name: pauses
-- When a DAG was paused and unpaused, newest first, among its newest rows of the audit log.
SELECT e.at, e.kind, e.by FROM (
    SELECT event_pk, at, kind, by FROM event_log WHERE dag_pk = :dag_pk ORDER BY event_pk DESC LIMIT :looked_at
) AS e WHERE e.kind IN ('dag_paused', 'dag_unpaused') ORDER BY e.event_pk DESC LIMIT :limit;
