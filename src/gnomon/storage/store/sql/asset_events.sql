-- name: known
-- Which of these events are stored already.
SELECT uid FROM asset_event WHERE uid {in :uids text};

-- name: add_assets (sqlite)
-- rows: name text, uri text, at bigint
-- Insert assets that are not stored yet.
-- differs: PostgreSQL leaves out assets that exist, which would be locked
INSERT INTO asset (name, uri, created_at, updated_at) VALUES (:name, :uri, :at, :at) ON CONFLICT (name, uri) DO NOTHING;

-- name: add_assets (postgresql)
-- rows: name text, uri text, at bigint
INSERT INTO asset (name, uri, created_at, updated_at) SELECT name, uri, at, at FROM {rows}
WHERE NOT EXISTS (SELECT FROM asset AS a WHERE a.name = r.name AND a.uri = r.uri)
ON CONFLICT (name, uri) DO NOTHING;

-- name: add
-- rows: number integer, uid text, name text, uri text, at bigint, extra text, aliases text, source_dag_id text, source_task_id text, source_run_id text, source_map_index integer, partition_key text
-- Insert events of assets that are stored. The keys have the order of `number`.
INSERT INTO asset_event (uid, asset_pk, at, extra, aliases, source_dag_id, source_task_id, source_run_id, source_map_index, partition_key)
SELECT :uid, a.asset_pk, :at, :extra, :aliases, :source_dag_id, :source_task_id, :source_run_id, :source_map_index, :partition_key
FROM {rows,} asset AS a WHERE a.name = :name AND a.uri = :uri ORDER BY :number;

-- name: add_aliases
-- rows: alias text, uid text
-- Insert the aliases through which events were added.
INSERT INTO asset_event_alias (alias, event_pk) SELECT :alias, e.event_pk FROM {rows,} asset_event AS e WHERE e.uid = :uid;

-- name: consumers
-- The DAGs that are scheduled by some assets, references or aliases, paused ones too.
SELECT n.leaf, n.dag_pk, d.group_no FROM dag_asset AS n JOIN dag AS d ON d.dag_pk = n.dag_pk
WHERE n.role = 'schedule' AND n.leaf {in :leaves text};

-- name: enqueue
-- rows: dag_pk bigint, leaf text, uid text
-- Insert events into the queues of consumers.
INSERT INTO asset_queue (dag_pk, leaf, event_pk) SELECT :dag_pk, :leaf, e.event_pk FROM {rows,} asset_event AS e WHERE e.uid = :uid;

-- name: newest_of_assets
-- Events of some assets between two instants, newest first, by the index of each asset; with `dag_ids` those that these DAGs made or no DAG.
SELECT e.event_pk, a.name, a.uri, e.at, e.extra, e.aliases, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index, e.partition_key
FROM asset_event AS e JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE e.asset_pk {in :asset_pks bigint} AND e.at >= :after AND e.at <= :before
AND ({typed :dag_ids text[]} IS NULL OR e.source_dag_id IS NULL OR e.source_dag_id {in :dag_ids text})
ORDER BY e.event_pk DESC LIMIT :limit;

-- name: oldest_of_assets
-- Events of some assets between two instants, oldest first.
SELECT e.event_pk, a.name, a.uri, e.at, e.extra, e.aliases, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index, e.partition_key
FROM asset_event AS e JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE e.asset_pk {in :asset_pks bigint} AND e.at >= :after AND e.at <= :before
ORDER BY e.event_pk LIMIT :limit;

-- name: newest_of_alias
-- Events that were added through an alias between two instants, newest first.
SELECT e.event_pk, a.name, a.uri, e.at, e.extra, e.aliases, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index, e.partition_key
FROM asset_event_alias AS l JOIN asset_event AS e ON e.event_pk = l.event_pk JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE l.alias = :alias AND e.at >= :after AND e.at <= :before ORDER BY l.event_pk DESC LIMIT :limit;

-- name: oldest_of_alias
-- Events that were added through an alias between two instants, oldest first.
SELECT e.event_pk, a.name, a.uri, e.at, e.extra, e.aliases, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index, e.partition_key
FROM asset_event_alias AS l JOIN asset_event AS e ON e.event_pk = l.event_pk JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE l.alias = :alias AND e.at >= :after AND e.at <= :before ORDER BY l.event_pk LIMIT :limit;

-- name: newest
-- The newest events of all assets; with `dag_ids` those that these DAGs made or no DAG.
SELECT e.event_pk, a.name, a.uri, e.at, e.extra, e.aliases, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index, e.partition_key
FROM asset_event AS e JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE ({typed :dag_ids text[]} IS NULL OR e.source_dag_id IS NULL OR e.source_dag_id {in :dag_ids text})
ORDER BY e.event_pk DESC LIMIT :limit;

-- name: consumed_by_run
-- The events that a run consumed, oldest first.
SELECT e.event_pk, a.name, a.uri, e.at, e.extra, e.aliases, e.source_dag_id, e.source_task_id, e.source_run_id, e.source_map_index, e.partition_key
FROM dag_run_asset_event AS c JOIN asset_event AS e ON e.event_pk = c.event_pk JOIN asset AS a ON a.asset_pk = e.asset_pk
WHERE c.run_pk = :run_pk ORDER BY c.event_pk;

-- name: consumers_of_event
-- The runs that consumed some events.
SELECT c.event_pk, d.dag_id, r.run_id FROM dag_run_asset_event AS c JOIN dag_run AS r ON r.run_pk = c.run_pk
       JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE c.event_pk {in :event_pks bigint} ORDER BY c.event_pk, d.dag_id, r.run_pk;

-- name: consuming_runs
-- The runs that consumed some events, with the newest event that each consumed.
SELECT c.event_pk, d.dag_id, r.run_id, r.state, r.logical_at, r.interval_start, r.interval_end, r.queued_at, r.started_at, r.ended_at, r.partition_key,
       (SELECT max(n.event_pk) FROM dag_run_asset_event AS n WHERE n.run_pk = c.run_pk)
FROM dag_run_asset_event AS c JOIN dag_run AS r ON r.run_pk = c.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE c.event_pk {in :event_pks bigint} ORDER BY c.event_pk, d.dag_id, r.run_pk;

-- name: by_uid
-- The event with a uid.
SELECT event_pk FROM asset_event WHERE uid = :uid;

-- name: newest_of_each (sqlite)
-- The newest event of some assets; with `dag_ids` the newest that these DAGs made or no DAG.
-- differs: functions that make a table of a list
SELECT e.asset_pk, e.event_pk, e.at FROM asset_event AS e
WHERE e.event_pk IN (
    SELECT (SELECT n.event_pk FROM asset_event AS n WHERE n.asset_pk = j.value
            AND (:dag_ids IS NULL OR n.source_dag_id IS NULL OR n.source_dag_id {in :dag_ids text})
            ORDER BY n.event_pk DESC LIMIT 1)
    FROM json_each(:asset_pks) AS j);

-- name: newest_of_each (postgresql)
SELECT e.asset_pk, e.event_pk, e.at FROM asset_event AS e
WHERE e.event_pk IN (
    SELECT (SELECT n.event_pk FROM asset_event AS n WHERE n.asset_pk = p
            AND (:dag_ids::text[] IS NULL OR n.source_dag_id IS NULL OR n.source_dag_id {in :dag_ids text})
            ORDER BY n.event_pk DESC LIMIT 1)
    FROM unnest(:asset_pks::bigint[]) AS p);

-- name: counts
-- The number of events and the time of the newest, by asset; with `dag_ids` of those that these DAGs made or no DAG.
SELECT e.asset_pk, count(*), max(e.at) FROM asset_event AS e
WHERE ({typed :dag_ids text[]} IS NULL OR e.source_dag_id IS NULL OR e.source_dag_id {in :dag_ids text}) GROUP BY e.asset_pk;
