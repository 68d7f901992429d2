-- Indexes for lists of failures of all DAGs, for postgresql, with what such lists most often compare, so that other rows are passed over in the index: failed runs
-- in the order of run_after with their DAG and end, and task instances after success with their pool and end. Only the end of a failed run writes the
-- first, and only a task instance that ends so the second.

CREATE INDEX dag_run_failed ON dag_run (run_after, run_pk, dag_pk, ended_at) WHERE state = 101;

DROP INDEX task_instance_not_successful;

CREATE INDEX task_instance_not_successful ON task_instance (state, run_pk, task_no, map_index, pool, ended_at) WHERE state > 100;
