-- Indexes for lists of the API over the history of all DAGs, for sqlite. They are on columns that most runs change once or twice; task_instance has only
-- one, of instances that neither wait nor succeeded, because every task writes that table.

CREATE INDEX dag_run_run_after ON dag_run (run_after, run_pk);

CREATE INDEX dag_run_logical_at ON dag_run (logical_at, run_pk);

CREATE INDEX dag_run_started_at ON dag_run (started_at, run_pk);

CREATE INDEX dag_run_updated_at ON dag_run (COALESCE(ended_at, started_at, queued_at), run_pk);

CREATE INDEX dag_run_partition_date ON dag_run (partition_date, run_pk) WHERE partition_date IS NOT NULL;

CREATE INDEX dag_run_partition_key ON dag_run (partition_key, run_pk) WHERE partition_key IS NOT NULL;

CREATE INDEX task_instance_not_successful ON task_instance (state, run_pk, task_no, map_index) WHERE state > 100;

CREATE INDEX event_log_at ON event_log (at, event_pk);

CREATE INDEX backfill_dag ON backfill (dag_pk, backfill_pk);
