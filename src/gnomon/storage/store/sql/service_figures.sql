-- name: put
-- Insert or replace the figures of a process.
INSERT INTO service_figures (process_id, service, host, at, body) VALUES (:process_id, :service, :host, :now, :body)
ON CONFLICT (process_id) DO UPDATE SET at = excluded.at, body = excluded.body;

-- name: list
-- The figures of all processes that wrote them at an instant or later.
SELECT process_id, service, host, at, body FROM service_figures WHERE at >= :since ORDER BY service, process_id;

-- name: remove
-- Delete the figures of a process that ends.
DELETE FROM service_figures WHERE process_id = :process_id;

-- name: remove_old
-- Delete the figures of processes that have written none since an instant.
DELETE FROM service_figures WHERE at < :before;

-- name: task_states
-- The number of task instances of unfinished runs by state, by the partial index of unfinished runs.
SELECT i.state, count(*) FROM dag_run AS r {cross} JOIN task_instance AS i ON i.run_pk = r.run_pk
WHERE r.ended_at IS NULL GROUP BY i.state ORDER BY i.state;

-- name: overdue
-- How many DAGs have a planned run that is due and does not exist, and since when the first of them is due.
SELECT count(*), min(next_run_after) FROM dag WHERE active AND NOT paused AND next_run_after < :now;

-- name: dags
-- The number of DAGs that a file defines, by whether they are paused and whether an error keeps them from being planned.
SELECT paused, error IS NOT NULL OR dependency_error IS NOT NULL, count(*) FROM dag WHERE active
GROUP BY paused, error IS NOT NULL OR dependency_error IS NOT NULL;

-- name: import_errors
-- The number of files with import errors.
SELECT count(DISTINCT file_pk) FROM import_error;

-- name: mailbox
-- The number of messages that schedulers have not applied.
SELECT count(*) FROM mail;

-- name: alerts
-- The number of open alerts and of messages that are not sent, by the partial indexes of both.
SELECT (SELECT count(*) FROM alert WHERE resolved_at IS NULL), (SELECT count(*) FROM alert_delivery WHERE ended_at IS NULL);
