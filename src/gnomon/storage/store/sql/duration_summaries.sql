-- name: newest_ends
-- Of each DAG the end of its newest ended run, by the index over the order of runs.
SELECT dag_pk, (SELECT ended_at FROM dag_run WHERE dag_run.dag_pk = dag.dag_pk AND ended_at IS NOT NULL
                ORDER BY run_after DESC, run_pk DESC LIMIT 1) AS ended_at FROM dag;

-- name: all
-- All summaries.
SELECT dag_pk, key, body FROM duration_summary;

-- name: put
-- A summary replaces the one before; of a deleted DAG there is none.
INSERT INTO duration_summary (dag_pk, key, body) SELECT dag_pk, :key, :body FROM dag WHERE dag_pk = :dag_pk
ON CONFLICT (dag_pk) DO UPDATE SET key = excluded.key, body = excluded.body;
