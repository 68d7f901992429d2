-- name: prove
-- Prove that the triggerer is not fenced (FENCE in docs/contributing/ownership.md). FOR SHARE makes the UPDATE that fences it wait until this
-- transaction ends.
SELECT 1 FROM triggerer WHERE id = :me AND NOT fenced {lock FOR SHARE};

-- name: add
-- Insert one process start; repeated when the outcome of a commit was unknown.
INSERT INTO triggerer (id, host, capacity, queues, beat_at) VALUES (:id, :host, :capacity, :queues, :now) ON CONFLICT (id) DO NOTHING;

-- name: beat
-- Heartbeat of a triggerer with its counters, unless it is fenced.
UPDATE triggerer SET beat_at = :now, counted = :counted WHERE id = :id AND NOT fenced;

-- name: fence
-- Fence a triggerer: it can write nothing more.
UPDATE triggerer SET fenced = TRUE WHERE id = :id;

-- name: beat_range
-- The oldest and the newest heartbeat of other triggerers that are not fenced; NULL when there is none.
SELECT min(beat_at), max(beat_at) FROM triggerer WHERE NOT fenced AND id <> :me;

-- name: silent
-- Triggerers without a heartbeat between two instants that are not fenced, except the caller.
SELECT id FROM triggerer WHERE NOT fenced AND (beat_at < :before OR beat_at > :after) AND id <> :me ORDER BY id;

-- name: fence_silent
-- Fence a triggerer if it is still silent; waits for the end of its running transaction.
UPDATE triggerer SET fenced = TRUE WHERE id = :id AND NOT fenced AND (beat_at < :before OR beat_at > :after);

-- name: remove_old
-- Delete triggerers that were fenced long ago; they run no trigger.
DELETE FROM triggerer WHERE fenced AND beat_at < :before;

-- name: release_triggers (sqlite)
-- Release the triggers of some triggerers.
-- differs: PostgreSQL locks the rows in one order before it changes them
UPDATE trigger SET triggerer = NULL WHERE triggerer {in :ids text};

-- name: release_triggers (postgresql)
-- Rows are locked in the order of their keys, so that no two transactions wait for each other.
UPDATE trigger SET triggerer = NULL
FROM (SELECT trigger_pk FROM trigger WHERE triggerer {in :ids text} ORDER BY trigger_pk FOR UPDATE) AS held
WHERE trigger.trigger_pk = held.trigger_pk;

-- name: release_asset_triggers (sqlite)
-- Release the triggers of watchers of some triggerers.
-- differs: PostgreSQL locks the rows in one order before it changes them
UPDATE asset_trigger SET triggerer = NULL WHERE triggerer {in :ids text};

-- name: release_asset_triggers (postgresql)
-- Rows are locked in the order of their keys, so that no two transactions wait for each other.
UPDATE asset_trigger SET triggerer = NULL
FROM (SELECT asset_trigger_pk FROM asset_trigger WHERE triggerer {in :ids text} ORDER BY asset_trigger_pk FOR UPDATE) AS held
WHERE asset_trigger.asset_trigger_pk = held.asset_trigger_pk;

-- name: remove_cancelled
-- Delete the rows of triggers that must end without on_kill: with their triggerer they have ended.
DELETE FROM trigger_end WHERE triggerer = :id AND NOT on_kill;

-- name: release_killed
-- Release the rows of triggers whose on_kill is due: another triggerer calls it.
UPDATE trigger_end SET triggerer = NULL, delivered = FALSE WHERE triggerer = :id;

-- name: list
-- All stored triggerers, those that are not fenced first, the newest heartbeat first.
SELECT id, host, capacity, queues, beat_at, fenced, counted FROM triggerer ORDER BY fenced, beat_at DESC, id;

-- name: count_running
-- The number of triggers of each triggerer.
SELECT triggerer, count(*) FROM trigger WHERE triggerer IS NOT NULL GROUP BY triggerer ORDER BY triggerer;
