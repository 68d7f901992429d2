-- name: remove
-- rows: dag_pk bigint
-- Delete the dependencies of some DAGs.
DELETE FROM dag_edge {using rows} WHERE dag_edge.dag_pk = :dag_pk;

-- name: add
-- rows: dag_pk bigint, edge_no integer, task_id text, up_dag text, body text
-- Insert dependencies of DAGs.
INSERT INTO dag_edge (dag_pk, edge_no, task_id, up_dag, body) {values :dag_pk, :edge_no, :task_id, :up_dag, :body};

-- name: list
-- The dependencies of all active DAGs, and whether the upstream DAG is active.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.dependency_error, e.edge_no, e.task_id, e.body,
       EXISTS (SELECT 1 FROM dag AS u WHERE u.dag_id = e.up_dag AND u.active)
FROM dag_edge AS e JOIN dag AS d ON d.dag_pk = e.dag_pk WHERE d.active ORDER BY d.dag_id, e.edge_no;

-- name: list_of
-- The dependencies of one DAG, and whether the upstream DAG is active; none for a DAG that is not active.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.dependency_error, e.edge_no, e.task_id, e.body,
       EXISTS (SELECT 1 FROM dag AS u WHERE u.dag_id = e.up_dag AND u.active)
FROM dag AS d JOIN dag_edge AS e ON e.dag_pk = d.dag_pk WHERE d.dag_id = :dag_id AND d.active ORDER BY e.edge_no;

-- name: list_on
-- The dependencies of active DAGs on one DAG, by the index over upstream DAGs.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.dependency_error, e.edge_no, e.task_id, e.body,
       EXISTS (SELECT 1 FROM dag AS u WHERE u.dag_id = e.up_dag AND u.active)
FROM dag_edge AS e JOIN dag AS d ON d.dag_pk = e.dag_pk WHERE e.up_dag = :dag_id AND d.active ORDER BY d.dag_id, e.edge_no;

-- name: connected_dags
-- The active DAGs that have dependencies, or on which an active DAG depends.
SELECT dag_id, dag_pk, version_pk FROM dag
WHERE active AND (dag_pk IN (SELECT dag_pk FROM dag_edge)
    OR dag_id IN (SELECT e.up_dag FROM dag_edge AS e JOIN dag AS d ON d.dag_pk = e.dag_pk WHERE d.active));

-- name: errors
-- DAGs with a dependency that can never be met.
SELECT dag_pk, dependency_error FROM dag WHERE dependency_error IS NOT NULL;

-- name: set_error
-- Store why the dependencies of a DAG can never be met; a plan that was made before is refused.
UPDATE dag SET dependency_error = :error, plan_seq = plan_seq + 1 WHERE dag_pk = :dag_pk RETURNING group_no;

-- name: versions_of
-- The newest versions of those of some DAGs that are active.
SELECT dag_id, version_pk FROM dag WHERE active AND dag_id {in :dag_ids text};
