-- The state and times of the newest run of each DAG, by which lists of DAGs are filtered and ordered, for postgresql.

ALTER TABLE newest_run ADD COLUMN state SMALLINT DEFAULT '1' NOT NULL;
ALTER TABLE newest_run ADD COLUMN started_at BIGINT;
ALTER TABLE newest_run ADD COLUMN ended_at BIGINT;

DELETE FROM newest_run WHERE NOT EXISTS (SELECT 1 FROM dag_run AS r WHERE r.run_pk = newest_run.run_pk);

UPDATE newest_run SET (state, started_at, ended_at) = (SELECT r.state, r.started_at, r.ended_at FROM dag_run AS r WHERE r.run_pk = newest_run.run_pk);
