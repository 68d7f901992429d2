-- name: put (sqlite)
-- rows: dag_pk bigint, run_pk bigint, run_after bigint
-- Record runs that are the newest of their DAGs, if they are. SQLite runs a batch row by row.
INSERT INTO newest_run (dag_pk, run_pk, run_after) VALUES (:dag_pk, :run_pk, :run_after)
ON CONFLICT (dag_pk) DO UPDATE SET run_pk = excluded.run_pk, run_after = excluded.run_after
WHERE (newest_run.run_after, newest_run.run_pk) < (excluded.run_after, excluded.run_pk);

-- name: put (postgresql)
-- rows: dag_pk bigint, run_pk bigint, run_after bigint
-- Record runs that are the newest of their DAGs, if they are. PostgreSQL runs a batch as one statement.
INSERT INTO newest_run (dag_pk, run_pk, run_after) SELECT dag_pk, run_pk, run_after FROM :rows
ON CONFLICT (dag_pk) DO UPDATE SET run_pk = excluded.run_pk, run_after = excluded.run_after
WHERE (newest_run.run_after, newest_run.run_pk) < (excluded.run_after, excluded.run_pk);

-- name: of_runs (sqlite)
-- The newest runs of the DAGs of some runs. SQLite reads the list with json_each; its transaction is the only one that writes.
SELECT dag_pk, run_pk FROM newest_run WHERE dag_pk IN (SELECT r.dag_pk FROM dag_run AS r WHERE r.run_pk IN (SELECT value FROM json_each(:run_pks)));

-- name: of_runs (postgresql)
-- The newest runs of the DAGs of some runs. PostgreSQL takes the list as an array, and locks the rows: of two transactions that delete runs of a DAG the
-- second sees what the first has left.
SELECT dag_pk, run_pk FROM newest_run WHERE dag_pk IN (SELECT r.dag_pk FROM dag_run AS r WHERE r.run_pk = ANY(:run_pks::bigint[])) ORDER BY dag_pk FOR UPDATE;

-- name: remove
-- Forget the newest run of a DAG.
DELETE FROM newest_run WHERE dag_pk = :dag_pk;

-- name: find
-- Record the newest run of a DAG, by the index over the order of its runs.
INSERT INTO newest_run (dag_pk, run_pk, run_after)
SELECT dag_pk, run_pk, run_after FROM dag_run WHERE dag_pk = :dag_pk ORDER BY run_after DESC, run_pk DESC LIMIT 1;
