-- The state of the task instance of a question, by which lists of questions are filtered and ordered, and the newest run of each DAG, by which lists of DAGs
-- are, for sqlite.
-- A question without a task instance keeps the default: no state.

ALTER TABLE hitl_detail ADD COLUMN state SMALLINT DEFAULT '0' NOT NULL;

UPDATE hitl_detail SET state = COALESCE((SELECT i.state FROM task_instance AS i
    WHERE i.run_pk = hitl_detail.run_pk AND i.task_no = hitl_detail.task_no AND i.map_index = hitl_detail.map_index), 0);

CREATE INDEX hitl_detail_state ON hitl_detail (state, run_pk, task_no, map_index);

CREATE TABLE newest_run (
    dag_pk INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    run_after INTEGER NOT NULL,
    CONSTRAINT newest_run_pkey PRIMARY KEY (dag_pk),
    CONSTRAINT newest_run_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
 WITHOUT ROWID;

INSERT INTO newest_run (dag_pk, run_pk, run_after)
SELECT r.dag_pk, r.run_pk, r.run_after FROM dag AS d JOIN dag_run AS r ON r.run_pk =
       (SELECT n.run_pk FROM dag_run AS n WHERE n.dag_pk = d.dag_pk ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1);
