-- name: put (sqlite)
-- rows: dag_pk bigint, run_pk bigint, run_after bigint
-- Record new runs that are the newest of their DAGs, if they are: they are queued. SQLite runs a batch row by row.
INSERT INTO newest_run (dag_pk, run_pk, run_after, state) VALUES (:dag_pk, :run_pk, :run_after, 1)
ON CONFLICT (dag_pk) DO UPDATE SET run_pk = excluded.run_pk, run_after = excluded.run_after, state = excluded.state, started_at = NULL, ended_at = NULL
WHERE (newest_run.run_after, newest_run.run_pk) < (excluded.run_after, excluded.run_pk);

-- name: put (postgresql)
-- rows: dag_pk bigint, run_pk bigint, run_after bigint
-- Record new runs that are the newest of their DAGs, if they are: they are queued. PostgreSQL runs a batch as one statement.
INSERT INTO newest_run (dag_pk, run_pk, run_after, state) SELECT dag_pk, run_pk, run_after, 1 FROM :rows
ON CONFLICT (dag_pk) DO UPDATE SET run_pk = excluded.run_pk, run_after = excluded.run_after, state = excluded.state, started_at = NULL, ended_at = NULL
WHERE (newest_run.run_after, newest_run.run_pk) < (excluded.run_after, excluded.run_pk);

-- name: change (sqlite)
-- rows: dag_pk bigint, run_pk bigint, state smallint, started_at bigint, ended_at bigint
-- Runs have changed: record it of those that are the newest of their DAGs. SQLite runs a batch row by row.
UPDATE newest_run SET state = :state, started_at = :started_at, ended_at = :ended_at WHERE dag_pk = :dag_pk AND run_pk = :run_pk;

-- name: change (postgresql)
-- rows: dag_pk bigint, run_pk bigint, state smallint, started_at bigint, ended_at bigint
-- Runs have changed: record it of those that are the newest of their DAGs. PostgreSQL runs a batch as one statement.
UPDATE newest_run SET state = r.state, started_at = r.started_at, ended_at = r.ended_at
FROM :rows WHERE newest_run.dag_pk = r.dag_pk AND newest_run.run_pk = r.run_pk;

-- name: refresh
-- Record what the newest run of a DAG has become.
UPDATE newest_run SET (state, started_at, ended_at) = (SELECT r.state, r.started_at, r.ended_at FROM dag_run AS r WHERE r.run_pk = newest_run.run_pk)
WHERE dag_pk = :dag_pk;

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
INSERT INTO newest_run (dag_pk, run_pk, run_after, state, started_at, ended_at)
SELECT dag_pk, run_pk, run_after, state, started_at, ended_at FROM dag_run WHERE dag_pk = :dag_pk ORDER BY run_after DESC, run_pk DESC LIMIT 1;
