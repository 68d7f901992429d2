-- name: put
-- rows: dag_pk bigint, run_pk bigint, run_after bigint
-- Record new runs that are the newest of their DAGs, if they are: they are queued.
INSERT INTO newest_run (dag_pk, run_pk, run_after, state) {values :dag_pk, :run_pk, :run_after, 1}
ON CONFLICT (dag_pk) DO UPDATE SET run_pk = excluded.run_pk, run_after = excluded.run_after, state = excluded.state, started_at = NULL, ended_at = NULL
WHERE (newest_run.run_after, newest_run.run_pk) < (excluded.run_after, excluded.run_pk);

-- name: change
-- rows: dag_pk bigint, run_pk bigint, state smallint, started_at bigint, ended_at bigint
-- Runs have changed: record it of those that are the newest of their DAGs.
UPDATE newest_run SET state = :state, started_at = :started_at, ended_at = :ended_at
{from rows} WHERE newest_run.dag_pk = :dag_pk AND newest_run.run_pk = :run_pk;

-- name: refresh
-- Record what the newest run of a DAG has become.
UPDATE newest_run SET (state, started_at, ended_at) = (SELECT r.state, r.started_at, r.ended_at FROM dag_run AS r WHERE r.run_pk = newest_run.run_pk)
WHERE dag_pk = :dag_pk;

-- name: of_runs
-- The newest runs of the DAGs of some runs. Their rows are locked: of two transactions that delete runs of a DAG
-- the second sees what the first has left.
SELECT dag_pk, run_pk FROM newest_run WHERE dag_pk IN (SELECT r.dag_pk FROM dag_run AS r WHERE r.run_pk {in :run_pks bigint}) {lock ORDER BY dag_pk FOR UPDATE};

-- name: remove
-- Forget the newest run of a DAG.
DELETE FROM newest_run WHERE dag_pk = :dag_pk;

-- name: find
-- Record the newest run of a DAG, by the index over the order of its runs.
INSERT INTO newest_run (dag_pk, run_pk, run_after, state, started_at, ended_at)
SELECT dag_pk, run_pk, run_after, state, started_at, ended_at FROM dag_run WHERE dag_pk = :dag_pk ORDER BY run_after DESC, run_pk DESC LIMIT 1;
