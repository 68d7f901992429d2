-- name: dags
-- The ids of the DAGs that begin with a text.
SELECT dag_id FROM dag WHERE active AND substr(dag_id, 1, length(:prefix)) = :prefix ORDER BY dag_id LIMIT :limit;

-- name: runs
-- The ids of the newest runs of a DAG, by the index over their order.
SELECT r.run_id FROM dag AS d JOIN dag_run AS r ON r.dag_pk = d.dag_pk
WHERE d.dag_id = :dag_id AND substr(r.run_id, 1, length(:prefix)) = :prefix ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: tasks
-- The ids of the tasks of a DAG.
SELECT n.task_id FROM dag AS d JOIN task_name AS n ON n.dag_pk = d.dag_pk
WHERE d.dag_id = :dag_id AND substr(n.task_id, 1, length(:prefix)) = :prefix ORDER BY n.task_no LIMIT :limit;

-- name: pools
-- The names of the pools.
SELECT name FROM pool WHERE substr(name, 1, length(:prefix)) = :prefix ORDER BY name LIMIT :limit;

-- name: variables
-- The keys of the Variables.
SELECT key FROM variable WHERE substr(key, 1, length(:prefix)) = :prefix ORDER BY key LIMIT :limit;
