-- name: put_before
-- The newest prediction of a run that has not begun replaces the one before.
INSERT INTO run_prediction (dag_pk, run_id, basis, run_after, predicted_at, end_p50, end_p90)
SELECT dag_pk, :run_id, 'before', :run_after, :predicted_at, :end_p50, :end_p90 FROM dag WHERE dag_id = :dag_id
ON CONFLICT (dag_pk, run_id, basis) DO UPDATE SET
    run_after = excluded.run_after, predicted_at = excluded.predicted_at, end_p50 = excluded.end_p50, end_p90 = excluded.end_p90;

-- name: put_start
-- The first prediction of a run that has begun stays.
INSERT INTO run_prediction (dag_pk, run_id, basis, run_after, predicted_at, end_p50, end_p90)
SELECT dag_pk, :run_id, 'start', :run_after, :predicted_at, :end_p50, :end_p90 FROM dag WHERE dag_id = :dag_id
ON CONFLICT (dag_pk, run_id, basis) DO NOTHING;

-- name: remove_old
-- Delete predictions of runs that were due long ago.
DELETE FROM run_prediction WHERE run_after < :before;

-- name: judged
-- Predictions of runs that have ended, with what came.
SELECT dag.dag_id, p.run_id, p.basis, p.predicted_at, p.end_p50, p.end_p90, r.run_pk, r.state, r.started_at, r.ended_at
FROM run_prediction AS p JOIN dag ON dag.dag_pk = p.dag_pk JOIN dag_run AS r ON r.dag_pk = p.dag_pk AND r.run_id = p.run_id
WHERE p.run_after >= :since AND r.ended_at IS NOT NULL AND r.clear_number = 0
ORDER BY dag.dag_id, p.run_after, p.basis;

-- name: judged_of
-- The same of some DAGs.
SELECT dag.dag_id, p.run_id, p.basis, p.predicted_at, p.end_p50, p.end_p90, r.run_pk, r.state, r.started_at, r.ended_at
FROM dag {cross} JOIN run_prediction AS p ON p.dag_pk = dag.dag_pk JOIN dag_run AS r ON r.dag_pk = p.dag_pk AND r.run_id = p.run_id
WHERE dag.dag_id {in :dag_ids text} AND p.run_after >= :since AND r.ended_at IS NOT NULL AND r.clear_number = 0
ORDER BY dag.dag_id, p.run_after, p.basis;

-- name: short_histories
-- Of some DAGs those with few successful runs, and how many these are.
SELECT dag.dag_id, coalesce(t.n, 0) FROM dag LEFT JOIN run_tally AS t ON t.dag_pk = dag.dag_pk AND t.state = :success
WHERE dag.dag_id {in :dag_ids text} AND coalesce(t.n, 0) < :least;
