-- name: consumed
-- Which runs of a DAG have consumed some events, by their partition keys.
SELECT c.event_pk, r.partition_key FROM dag_run_asset_event AS c JOIN dag_run AS r ON r.run_pk = c.run_pk
WHERE r.dag_pk = :dag_pk AND r.partition_key IS NOT NULL AND c.event_pk {in :events bigint};

-- name: source_dates
-- The partition dates of the runs that made some events.
SELECT DISTINCT r.partition_date FROM asset_event AS e JOIN dag AS d ON d.dag_id = e.source_dag_id
       JOIN dag_run AS r ON r.dag_pk = d.dag_pk AND r.run_id = e.source_run_id
WHERE r.partition_date IS NOT NULL AND e.event_pk {in :events bigint};
