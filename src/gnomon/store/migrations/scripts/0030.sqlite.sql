-- The state of the task instance of a question, by which lists of questions are filtered and ordered, for sqlite.
-- A question without a task instance keeps the default: no state.

ALTER TABLE hitl_detail ADD COLUMN state SMALLINT DEFAULT '0' NOT NULL;

UPDATE hitl_detail SET state = COALESCE((SELECT i.state FROM task_instance AS i
    WHERE i.run_pk = hitl_detail.run_pk AND i.task_no = hitl_detail.task_no AND i.map_index = hitl_detail.map_index), 0);

CREATE INDEX hitl_detail_state ON hitl_detail (state, run_pk, task_no, map_index);
