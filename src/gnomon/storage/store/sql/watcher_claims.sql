-- name: pending_work
-- Whether the triggerer runs triggers that are no longer wanted, and whether a wanted trigger is unclaimed and due. A trigger is
-- wanted while an active DAG declares a watcher with it and an active DAG that is not paused is scheduled by the asset.
SELECT EXISTS (SELECT 1 FROM asset_trigger AS t WHERE t.triggerer = :me AND NOT EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused)),
       EXISTS (SELECT 1 FROM asset_trigger AS t WHERE t.triggerer IS NULL AND (t.retry_at IS NULL OR t.retry_at <= :now) AND EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused));

-- name: release_unwanted (sqlite)
-- Release the triggers of a triggerer that are no longer wanted. A trigger is wanted while an active
-- DAG declares a watcher with it and an active DAG that is not paused is scheduled by the asset.
-- differs: PostgreSQL locks the rows in one order before it changes them
UPDATE asset_trigger SET triggerer = NULL, retry_at = NULL WHERE asset_trigger_pk IN (
    SELECT t.asset_trigger_pk FROM asset_trigger AS t WHERE t.triggerer = :me AND NOT EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused));

-- name: release_unwanted (postgresql)
-- The row locks are taken in one order.
UPDATE asset_trigger SET triggerer = NULL, retry_at = NULL FROM (
    SELECT t.asset_trigger_pk FROM asset_trigger AS t WHERE t.triggerer = :me AND NOT EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused)
    ORDER BY t.asset_trigger_pk FOR UPDATE OF t) AS held
WHERE asset_trigger.asset_trigger_pk = held.asset_trigger_pk;

-- name: claim (sqlite)
-- Claim wanted triggers that are unclaimed and due. A trigger is wanted while an active DAG declares a
-- watcher with it and an active DAG that is not paused is scheduled by the asset.
-- differs: PostgreSQL locks the rows that it takes, and skips those that others hold
UPDATE asset_trigger SET triggerer = :me, retry_at = NULL WHERE asset_trigger_pk IN (
    SELECT t.asset_trigger_pk FROM asset_trigger AS t
    WHERE t.triggerer IS NULL AND (t.retry_at IS NULL OR t.retry_at <= :now) AND EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused)
    ORDER BY t.asset_trigger_pk LIMIT :limit)
RETURNING asset_trigger_pk;

-- name: claim (postgresql)
-- SKIP LOCKED: triggerers that claim at the same time do not wait for one another.
UPDATE asset_trigger SET triggerer = :me, retry_at = NULL FROM (
    SELECT t.asset_trigger_pk FROM asset_trigger AS t
    WHERE t.triggerer IS NULL AND (t.retry_at IS NULL OR t.retry_at <= :now) AND EXISTS (
    SELECT 1 FROM asset_watcher AS w JOIN dag AS o ON o.dag_pk = w.dag_pk
         JOIN dag_asset AS n ON n.role = 'schedule' AND n.leaf IN (w.asset_leaf, w.name_leaf, w.uri_leaf) JOIN dag AS c ON c.dag_pk = n.dag_pk
    WHERE w.asset_trigger_pk = t.asset_trigger_pk AND o.active AND c.active AND NOT c.paused)
    ORDER BY t.asset_trigger_pk LIMIT :limit FOR UPDATE OF t SKIP LOCKED) AS free
WHERE asset_trigger.asset_trigger_pk = free.asset_trigger_pk RETURNING asset_trigger.asset_trigger_pk;

-- name: find_claimed
-- What a triggerer needs to run these triggers.
SELECT asset_trigger_pk, identity, classpath, kwargs, failures FROM asset_trigger
WHERE asset_trigger_pk {in :pks bigint} ORDER BY asset_trigger_pk;

-- name: running
-- The triggers of a triggerer.
SELECT asset_trigger_pk FROM asset_trigger WHERE triggerer = :me;

-- name: lock
-- Lock some triggers, in the order of their keys, so that no two transactions wait for each other. NO KEY: a new watcher may name them meanwhile.
SELECT asset_trigger_pk FROM asset_trigger WHERE asset_trigger_pk {in :pks bigint} {lock ORDER BY asset_trigger_pk FOR NO KEY UPDATE};

-- name: watched_assets
-- The assets that some triggers watch, with the names of the watchers.
SELECT DISTINCT w.asset_trigger_pk, t.identity, w.asset_name, w.asset_uri, w.watcher_name
FROM asset_watcher AS w JOIN asset_trigger AS t ON t.asset_trigger_pk = w.asset_trigger_pk JOIN dag AS d ON d.dag_pk = w.dag_pk
WHERE d.active AND w.asset_trigger_pk {in :pks bigint}
ORDER BY w.asset_trigger_pk, w.asset_name, w.asset_uri, w.watcher_name;

-- name: count_events
-- rows: asset_trigger_pk bigint, events bigint, at bigint
-- Count the events of triggers; an event ends a series of failures.
UPDATE asset_trigger SET event_count = event_count + :events, last_event_at = :at, failures = 0, failure = NULL, failed_at = NULL
{from rows} WHERE asset_trigger.asset_trigger_pk = :asset_trigger_pk;

-- name: record_end
-- rows: asset_trigger_pk bigint, me text, retry_at bigint, failures integer, failure text, failed_at bigint
-- Release triggers that have ended, until they are due again.
UPDATE asset_trigger SET triggerer = NULL, retry_at = :retry_at, failures = :failures, failure = :failure, failed_at = :failed_at
{from rows} WHERE asset_trigger.asset_trigger_pk = :asset_trigger_pk AND asset_trigger.triggerer = :me;

-- name: count_running
-- The number of triggers of each triggerer.
SELECT triggerer, count(*) FROM asset_trigger WHERE triggerer IS NOT NULL GROUP BY triggerer ORDER BY triggerer;
