-- name: satisfied (sqlite)
-- Which of these pairs of DAG and leaf have an event that is not consumed. SQLite reads JSON with functions of its own.
WITH wanted AS MATERIALIZED (SELECT json_extract(value, '$[0]') AS dag_pk, json_extract(value, '$[1]') AS leaf FROM json_each(:keys))
SELECT w.dag_pk, w.leaf FROM wanted AS w
WHERE EXISTS (SELECT 1 FROM asset_queue AS q WHERE q.dag_pk = w.dag_pk AND q.leaf = w.leaf);

-- name: satisfied (postgresql)
-- Which of these pairs of DAG and leaf have an event that is not consumed. PostgreSQL reads JSON with functions of its own.
WITH wanted AS MATERIALIZED (SELECT (value->>0)::bigint AS dag_pk, value->>1 AS leaf FROM jsonb_array_elements(:keys::jsonb))
SELECT w.dag_pk, w.leaf FROM wanted AS w
WHERE EXISTS (SELECT 1 FROM asset_queue AS q WHERE q.dag_pk = w.dag_pk AND q.leaf = w.leaf);

-- name: lock_consumer (sqlite)
-- The consumer DAG, if runs may be created for it. SQLite has one writer at a time, so no lock is needed.
SELECT group_no, version_pk FROM dag WHERE dag_pk = :dag_pk AND active AND NOT paused AND dependency_error IS NULL;

-- name: lock_consumer (postgresql)
-- The consumer DAG, if runs may be created for it. The lock makes a command that pauses it wait, so no run is created after its answer.
SELECT group_no, version_pk FROM dag WHERE dag_pk = :dag_pk AND active AND NOT paused AND dependency_error IS NULL FOR SHARE;

-- name: of_dag
-- The events in the queue of a DAG, oldest first within each leaf.
SELECT q.leaf, q.event_pk, e.at, e.partition_key FROM asset_queue AS q JOIN asset_event AS e ON e.event_pk = q.event_pk
WHERE q.dag_pk = :dag_pk ORDER BY q.leaf, q.event_pk;

-- name: of_leaf
-- The oldest events of a leaf in the queue of a DAG, a range of the primary key.
SELECT q.event_pk, e.at, e.partition_key FROM asset_queue AS q JOIN asset_event AS e ON e.event_pk = q.event_pk
WHERE q.dag_pk = :dag_pk AND q.leaf = :leaf ORDER BY q.event_pk LIMIT :limit;

-- name: counts_of_dag
-- The number of events in the queue of a DAG and the time of the oldest, by leaf.
SELECT q.leaf, count(*), min(e.at) FROM asset_queue AS q JOIN asset_event AS e ON e.event_pk = q.event_pk
WHERE q.dag_pk = :dag_pk GROUP BY q.leaf;

-- name: remove (sqlite)
-- rows: dag_pk bigint, leaf text, event_pk bigint
-- Delete events from the queue of a DAG. SQLite runs a batch row by row.
DELETE FROM asset_queue WHERE dag_pk = :dag_pk AND leaf = :leaf AND event_pk = :event_pk;

-- name: remove (postgresql)
-- rows: dag_pk bigint, leaf text, event_pk bigint
-- Delete events from the queue of a DAG. PostgreSQL runs a batch as one statement.
DELETE FROM asset_queue USING :rows
WHERE asset_queue.dag_pk = r.dag_pk AND asset_queue.leaf = r.leaf AND asset_queue.event_pk = r.event_pk;

-- name: consume (sqlite)
-- rows: run_pk bigint, event_pk bigint
-- Insert the events that a new run consumes. SQLite runs a batch row by row.
INSERT INTO dag_run_asset_event (run_pk, event_pk) VALUES (:run_pk, :event_pk);

-- name: consume (postgresql)
-- rows: run_pk bigint, event_pk bigint
-- Insert the events that a new run consumes. PostgreSQL runs a batch as one statement.
INSERT INTO dag_run_asset_event (run_pk, event_pk) SELECT run_pk, event_pk FROM :rows;

-- name: of_dag_and_asset
-- The assets with events in the queues of DAGs, of one DAG or of one asset (NULL: of all), with the time of the oldest of these events.
SELECT d.dag_pk, d.dag_id, e.asset_pk, min(e.at) FROM asset_queue AS q JOIN asset_event AS e ON e.event_pk = q.event_pk JOIN dag AS d ON d.dag_pk = q.dag_pk
WHERE (CAST(:dag_pk AS bigint) IS NULL OR q.dag_pk = :dag_pk) AND (CAST(:asset_pk AS bigint) IS NULL OR e.asset_pk = :asset_pk)
  AND (CAST(:before AS bigint) IS NULL OR e.at < :before)
GROUP BY d.dag_pk, d.dag_id, e.asset_pk ORDER BY d.dag_id, e.asset_pk;

-- name: discard
-- Delete events from the queue of a DAG: of one asset, and from before an instant (NULL: of any asset, of any time).
DELETE FROM asset_queue WHERE dag_pk = :dag_pk AND event_pk IN (SELECT e.event_pk FROM asset_queue AS q JOIN asset_event AS e ON e.event_pk = q.event_pk
  WHERE q.dag_pk = :dag_pk AND (CAST(:asset_pk AS bigint) IS NULL OR e.asset_pk = :asset_pk) AND (CAST(:before AS bigint) IS NULL OR e.at < :before));
