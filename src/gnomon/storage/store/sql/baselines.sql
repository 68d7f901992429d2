-- name: put_state
-- What is known of one due time of a baseline.
INSERT INTO baseline_state (baseline, due_at, level, changed_at, body) VALUES (:baseline, :due_at, :level, :changed_at, :body)
ON CONFLICT (baseline, due_at) DO UPDATE SET level = excluded.level, changed_at = excluded.changed_at, body = excluded.body;

-- name: states
-- The due times from one on, in order.
SELECT baseline, due_at, level, changed_at, body FROM baseline_state WHERE due_at >= :begin ORDER BY due_at, baseline;

-- name: raised
-- The due times that have raised priorities of tasks, among those that the monitor still follows: four days before the newest forecast (FOLLOWED_S of baseline_evaluation).
SELECT baseline, body FROM baseline_state
WHERE due_at >= (SELECT coalesce(max(at), 0) FROM forecast) - 345600000000 AND level <> 'met' AND body LIKE '%"raised":%'
ORDER BY baseline, due_at;

-- name: states_of_baseline
-- The newest due times of a baseline, newest first.
SELECT baseline, due_at, level, changed_at, body FROM baseline_state WHERE baseline = :baseline ORDER BY due_at DESC LIMIT :limit;

-- name: add_prediction
-- Keep a prediction of a due time.
INSERT INTO baseline_prediction (baseline, due_at, predicted_at, level, breach, end_p50, end_p90)
VALUES (:baseline, :due_at, :predicted_at, :level, :breach, :end_p50, :end_p90)
ON CONFLICT (baseline, due_at, predicted_at) DO NOTHING;

-- name: predictions
-- The predictions of a due time, oldest first.
SELECT predicted_at, level, breach, end_p50, end_p90 FROM baseline_prediction
WHERE baseline = :baseline AND due_at = :due_at ORDER BY predicted_at;

-- name: remove_old_states
-- Delete due times of long ago.
DELETE FROM baseline_state WHERE due_at < :before;

-- name: remove_old_predictions
-- Delete their predictions.
DELETE FROM baseline_prediction WHERE due_at < :before;

-- name: put_forecast
-- The newest forecast of the coming runs replaces the one before.
INSERT INTO forecast (forecast_pk, at, fresh_until, promises, body) VALUES (1, :at, :fresh_until, :promises, :body)
ON CONFLICT (forecast_pk) DO UPDATE SET at = excluded.at, fresh_until = excluded.fresh_until, promises = excluded.promises, body = excluded.body;

-- name: forecast
-- The newest forecast.
SELECT body FROM forecast WHERE forecast_pk = 1;

-- name: forecast_head
-- The newest forecast without its runs.
SELECT at, fresh_until, promises FROM forecast WHERE forecast_pk = 1;

-- name: newer_specs
-- The newest versions of DAGs that are newer than one, oldest first.
SELECT version.version_pk, version.dag_pk, version.spec FROM dag_version AS version
WHERE version.version_pk > :after AND NOT EXISTS
    (SELECT 1 FROM dag_version AS newer WHERE newer.dag_pk = version.dag_pk AND newer.number > version.number)
ORDER BY version.version_pk LIMIT :limit;

-- name: ended_runs
-- The ended runs of a DAG in a span of slots, but not manual ones and backfills.
SELECT run_pk, run_id, run_after, state, ended_at FROM dag_run
WHERE dag_pk = :dag_pk AND run_after >= :begin AND run_after < :end AND ended_at IS NOT NULL AND run_type NOT IN ('manual', 'backfill')
ORDER BY run_after, run_pk;

-- name: stored
-- The newest version of each stored baseline that is not deleted, by name.
SELECT baseline, version, changed_at, changed_by, body FROM baseline_version AS newest
WHERE body IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM baseline_version AS newer WHERE newer.baseline = newest.baseline AND newer.version > newest.version)
ORDER BY baseline;

-- name: versions
-- The newest versions of a stored baseline, newest first, also after its deletion.
SELECT baseline, version, changed_at, changed_by, body FROM baseline_version
WHERE baseline = :baseline ORDER BY version DESC LIMIT :limit;

-- name: add_version
-- A new version of a stored baseline. Two changes at once have the same version, and the second one fails.
INSERT INTO baseline_version (baseline, version, changed_at, changed_by, body)
VALUES (:baseline, :version, :changed_at, :changed_by, :body)
ON CONFLICT (baseline, version) DO NOTHING;

-- name: remove_versions
-- Delete versions up to one.
DELETE FROM baseline_version WHERE baseline = :baseline AND version <= :version;

-- name: remove_deleted
-- Delete all versions of baselines that were deleted long ago.
DELETE FROM baseline_version WHERE baseline IN (SELECT baseline FROM baseline_version AS newest
    WHERE body IS NULL AND changed_at < :before AND NOT EXISTS
        (SELECT 1 FROM baseline_version AS newer WHERE newer.baseline = newest.baseline AND newer.version > newest.version));

-- name: remove_state
-- Delete what is known of one due time.
DELETE FROM baseline_state WHERE baseline = :baseline AND due_at = :due_at;

-- name: remove_predictions
-- Delete the predictions of one due time.
DELETE FROM baseline_prediction WHERE baseline = :baseline AND due_at = :due_at;
