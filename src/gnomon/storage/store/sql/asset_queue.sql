-- name: satisfied
-- Which of these pairs of DAG and leaf have an event that is not consumed.
WITH wanted AS MATERIALIZED ({tuples :keys dag_pk bigint, leaf text})
SELECT w.dag_pk, w.leaf FROM wanted AS w
WHERE EXISTS (SELECT 1 FROM asset_queue AS q WHERE q.dag_pk = w.dag_pk AND q.leaf = w.leaf);

-- name: lock_consumer
-- The consumer DAG, if runs may be created for it. The lock makes a command that pauses it wait, so no run is created after its answer.
SELECT group_no, version_pk FROM dag WHERE dag_pk = :dag_pk AND active AND NOT paused AND dependency_error IS NULL {lock FOR SHARE};

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

-- name: remove
-- rows: dag_pk bigint, leaf text, event_pk bigint
-- Delete events from the queue of a DAG.
DELETE FROM asset_queue {using rows}
WHERE asset_queue.dag_pk = :dag_pk AND asset_queue.leaf = :leaf AND asset_queue.event_pk = :event_pk;

-- name: consume
-- rows: run_pk bigint, event_pk bigint
-- Insert the events that a new run consumes.
INSERT INTO dag_run_asset_event (run_pk, event_pk) {values :run_pk, :event_pk};

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
