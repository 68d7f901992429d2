-- name: page
-- field: id e.event_pk
-- field: asset_id e.asset_pk
-- field: timestamp e.at
-- field: name a.name
-- nullable field: source_dag_id e.source_dag_id
-- nullable field: source_task_id e.source_task_id
-- nullable field: source_run_id e.source_run_id
-- field: source_map_index e.source_map_index
-- Events of assets, with the asset.
SELECT e.event_pk, e.asset_pk, a.name, a.uri, a.asset_group, e.at, e.extra, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index,
       e.partition_key {keys}
FROM asset_event AS e JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count
-- fields: page
-- Counts the events that a page belongs to, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM asset_event AS e JOIN asset AS a ON a.asset_pk = e.asset_pk WHERE {conditions} LIMIT :most
) AS found;

-- name: consumed
-- fields: page
-- The events that a run consumed.
SELECT e.event_pk, e.asset_pk, a.name, a.uri, a.asset_group, e.at, e.extra, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index,
       e.partition_key {keys}
FROM dag_run_asset_event AS c JOIN asset_event AS e ON e.event_pk = c.event_pk JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE c.run_pk = :run_pk AND {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;
