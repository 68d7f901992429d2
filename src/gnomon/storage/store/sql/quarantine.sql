-- name: add
-- rows: kind text, group_no smallint, key text, body bytea, dag_pk bigint, dag_id text, run_pk bigint, run_id text, task_id text, task_no bigint, map_index bigint, attempt text, at bigint, reason text, error_class text, returns_with_dag boolean
-- Insert messages that were set aside; one with a stored key replaces the reason of that one.
INSERT INTO quarantine (kind, group_no, key, body, dag_pk, dag_id, run_pk, run_id, task_id, task_no, map_index, attempt, at, reason, error_class, returns_with_dag)
{values :kind, :group_no, :key, :body, :dag_pk, :dag_id, :run_pk, :run_id, :task_id, :task_no, :map_index, :attempt, :at, :reason, :error_class, :returns_with_dag}
ON CONFLICT (key) WHERE key IS NOT NULL DO UPDATE SET reason = excluded.reason, error_class = excluded.error_class, at = excluded.at, body = excluded.body,
    returns_with_dag = excluded.returns_with_dag;

-- name: count
-- How many rows there are.
SELECT COUNT(*) FROM quarantine;

-- name: oldest
-- The rows, oldest first.
SELECT quarantine_pk, kind, group_no, key, body, dag_pk, dag_id, run_pk, run_id, task_id, task_no, map_index, attempt, at, reason, error_class, returns_with_dag
FROM quarantine WHERE quarantine_pk > :after ORDER BY quarantine_pk LIMIT :limit;

-- name: find
-- One row.
SELECT quarantine_pk, kind, group_no, key, body, dag_pk, dag_id, run_pk, run_id, task_id, task_no, map_index, attempt, at, reason, error_class, returns_with_dag
FROM quarantine WHERE quarantine_pk = :quarantine_pk;

-- name: of_dag
-- The newest rows about a DAG, and those of its group that name no DAG because the whole group is set aside.
SELECT quarantine_pk, kind, group_no, key, body, dag_pk, dag_id, run_pk, run_id, task_id, task_no, map_index, attempt, at, reason, error_class, returns_with_dag
FROM quarantine WHERE dag_pk = :dag_pk OR key = :group_key ORDER BY quarantine_pk DESC LIMIT :limit;

-- name: remove
-- Delete one row.
DELETE FROM quarantine WHERE quarantine_pk = :quarantine_pk;

-- name: remove_key
-- Delete the row of a DAG or group that is no longer set aside.
DELETE FROM quarantine WHERE key = :key;

-- name: waiting_for_dag
-- The messages that wait for a DAG that was set aside, oldest first.
SELECT quarantine_pk, kind, group_no, key, body, dag_pk, dag_id, run_pk, run_id, task_id, task_no, map_index, attempt, at, reason, error_class, returns_with_dag
FROM quarantine WHERE dag_pk = :dag_pk AND returns_with_dag ORDER BY quarantine_pk LIMIT :limit;

-- name: set_aside
-- The DAGs and groups that an earlier owner of these groups has set aside.
SELECT quarantine_pk, kind, group_no, key, body, dag_pk, dag_id, run_pk, run_id, task_id, task_no, map_index, attempt, at, reason, error_class, returns_with_dag
FROM quarantine WHERE (key LIKE 'dag:%' OR key LIKE 'group:%') AND group_no {in :groups bigint};

-- name: clear_dag_error
-- Delete the error of a DAG that is no longer set aside, unless it shows another one by now.
UPDATE dag SET error = NULL WHERE dag_pk = :dag_pk AND error = :error;

-- name: unfinished_runs
-- The unfinished runs of a DAG of which a row cannot be decoded.
SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NULL ORDER BY run_pk;

-- name: live_attempts
-- The attempts of its unfinished runs and callbacks.
SELECT i.attempt FROM dag_run AS r JOIN task_instance AS i ON i.run_pk = r.run_pk WHERE r.dag_pk = :dag_pk AND r.ended_at IS NULL AND i.attempt IS NOT NULL
UNION ALL SELECT attempt FROM run_callback WHERE dag_pk = :dag_pk AND ended_at IS NULL AND attempt IS NOT NULL;
