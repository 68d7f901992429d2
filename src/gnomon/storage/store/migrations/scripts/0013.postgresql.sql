-- Ended runs of all DAGs by state and end, not only failed ones, for postgresql. Rows enter the index when the run ends, so a new run costs nothing more.

DROP INDEX dag_run_failed;

CREATE INDEX dag_run_ended ON dag_run (state, ended_at) WHERE ended_at IS NOT NULL;
