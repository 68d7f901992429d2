-- The DAG of a question, and the id and run_after of its run, by which lists of questions are filtered and ordered, for postgresql. Neither changes in a run.
-- A question without a run, which no list has, keeps the defaults.

ALTER TABLE hitl_detail ADD COLUMN dag_pk BIGINT DEFAULT '0' NOT NULL;
ALTER TABLE hitl_detail ADD COLUMN run_id TEXT DEFAULT '' NOT NULL;
ALTER TABLE hitl_detail ADD COLUMN run_after BIGINT DEFAULT '0' NOT NULL;

UPDATE hitl_detail SET dag_pk = r.dag_pk, run_id = r.run_id, run_after = r.run_after FROM dag_run AS r WHERE r.run_pk = hitl_detail.run_pk;

CREATE INDEX hitl_detail_dag ON hitl_detail (dag_pk, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_run_id ON hitl_detail (run_id, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_run_after ON hitl_detail (run_after, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_created ON hitl_detail (created_at, run_pk, task_no, map_index);
CREATE INDEX hitl_detail_responded ON hitl_detail (responded_at, run_pk, task_no, map_index);
