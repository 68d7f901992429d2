-- name: get
-- One value that has not expired.
SELECT value FROM task_state_store
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND key = :key AND (expires_at IS NULL OR expires_at > :now);

-- name: put
-- Insert or replace a value.
INSERT INTO task_state_store (run_pk, task_no, map_index, key, value, updated_at, expires_at)
VALUES (:run_pk, :task_no, :map_index, :key, :value, :updated_at, :expires_at)
ON CONFLICT (run_pk, task_no, map_index, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at,
       expires_at = excluded.expires_at;

-- name: remove
-- Delete a value.
DELETE FROM task_state_store WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND key = :key;

-- name: clear
-- Delete all values of a task instance.
DELETE FROM task_state_store WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;

-- name: clear_all
-- rows: run_pk bigint, task_no integer, map_index integer
-- Delete all values of these task instances.
DELETE FROM task_state_store {using rows}
WHERE task_state_store.run_pk = :run_pk AND task_state_store.task_no = :task_no AND task_state_store.map_index = :map_index;

-- name: of_run
-- All values of a run that have not expired.
SELECT task_no, map_index, key, value, updated_at, expires_at FROM task_state_store
WHERE run_pk = :run_pk AND (expires_at IS NULL OR expires_at > :now) ORDER BY task_no, map_index, key;

-- name: expired
-- Some values that have expired, with the names of their places.
SELECT d.dag_id, r.run_id, n.task_id, s.map_index, s.key FROM task_state_store AS s
JOIN dag_run AS r ON r.run_pk = s.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = s.task_no
WHERE s.expires_at <= :now ORDER BY d.dag_id, r.run_id, n.task_id, s.map_index, s.key LIMIT :limit;

-- name: remove_expired
-- Delete some values that have expired.
DELETE FROM task_state_store WHERE (run_pk, task_no, map_index, key) IN (SELECT run_pk, task_no, map_index, key
    FROM task_state_store WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit);

-- name: of_task_instance
-- All values of a task instance that have not expired.
SELECT task_no, map_index, key, value, updated_at, expires_at FROM task_state_store
WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND (expires_at IS NULL OR expires_at > :now) ORDER BY key;

-- name: clear_task
-- Delete all values of all instances of a task of a run.
DELETE FROM task_state_store WHERE run_pk = :run_pk AND task_no = :task_no;

-- name: lock_run
-- The run, if it is stored. The lock makes its deletion wait for the end of the transaction.
SELECT run_pk FROM dag_run WHERE run_pk = :run_pk {lock FOR KEY SHARE};
