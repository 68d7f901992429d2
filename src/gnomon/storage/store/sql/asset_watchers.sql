-- name: of_dags
-- The watchers that some DAGs declare.
SELECT w.dag_pk, w.asset_name, w.asset_uri, w.watcher_name, w.asset_trigger_pk, t.identity, w.place
FROM asset_watcher AS w JOIN asset_trigger AS t ON t.asset_trigger_pk = w.asset_trigger_pk
WHERE w.dag_pk {in :dag_pks bigint};

-- name: put_triggers
-- rows: identity text, classpath text, kwargs text, created_at bigint
-- Insert triggers; one that is stored keeps running.
INSERT INTO asset_trigger (identity, classpath, kwargs, created_at) {values :identity, :classpath, :kwargs, :created_at} ON CONFLICT (identity) DO NOTHING;

-- name: put
-- rows: dag_pk bigint, asset_name text, asset_uri text, watcher_name text, identity text, asset_leaf text, name_leaf text, uri_leaf text, place text
-- Insert watchers, or replace their place.
INSERT INTO asset_watcher (dag_pk, asset_name, asset_uri, watcher_name, asset_trigger_pk, asset_leaf, name_leaf, uri_leaf, place)
SELECT :dag_pk, :asset_name, :asset_uri, :watcher_name, t.asset_trigger_pk, :asset_leaf, :name_leaf, :uri_leaf, :place
FROM {rows,} asset_trigger AS t WHERE t.identity = :identity
ON CONFLICT (dag_pk, asset_name, asset_uri, watcher_name, asset_trigger_pk) DO UPDATE SET place = excluded.place;

-- name: remove
-- rows: dag_pk bigint, asset_name text, asset_uri text, watcher_name text, asset_trigger_pk bigint
-- Delete watchers that a new version no longer has.
DELETE FROM asset_watcher {using rows}
WHERE asset_watcher.dag_pk = :dag_pk AND asset_watcher.asset_name = :asset_name AND asset_watcher.asset_uri = :asset_uri
  AND asset_watcher.watcher_name = :watcher_name AND asset_watcher.asset_trigger_pk = :asset_trigger_pk;

-- name: remove_unused_triggers
-- Delete the triggers that no watcher names any more.
DELETE FROM asset_trigger WHERE NOT EXISTS (SELECT 1 FROM asset_watcher AS w WHERE w.asset_trigger_pk = asset_trigger.asset_trigger_pk);

-- name: has_wanted
-- Whether a triggerer must run. A trigger is
-- wanted while an active DAG declares a watcher with it and an active DAG that is not paused is scheduled by the asset.
SELECT EXISTS (SELECT 1 FROM asset_trigger AS t WHERE EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused));

-- name: list
-- The watchers that active DAGs declare, with the state of their triggers. A trigger is
-- wanted while an active DAG declares a watcher with it and an active DAG that is not paused is scheduled by the asset.
SELECT w.asset_name, w.asset_uri, w.watcher_name, d.dag_id, t.asset_trigger_pk, t.identity, t.classpath, t.triggerer, t.retry_at, t.failures,
       t.failure, t.failed_at, t.event_count, t.last_event_at, w.place, EXISTS (
    SELECT 1 FROM asset_watcher AS w2 JOIN dag AS o ON o.dag_pk = w2.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w2.asset_leaf, w2.name_leaf, w2.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w2.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused), t.created_at
FROM asset_watcher AS w JOIN dag AS d ON d.dag_pk = w.dag_pk JOIN asset_trigger AS t ON t.asset_trigger_pk = w.asset_trigger_pk
WHERE d.active ORDER BY w.asset_name, w.asset_uri, w.watcher_name, d.dag_id, t.asset_trigger_pk;
