-- name: prove (sqlite)
-- The triggerer is not fenced. The writer is alone here, so there is nothing to lock.
SELECT 1 FROM triggerer WHERE id = :me AND NOT fenced;

-- name: prove (postgresql)
-- The triggerer is not fenced, and cannot be until this transaction ends: FOR SHARE makes the fencing UPDATE wait.
SELECT 1 FROM triggerer WHERE id = :me AND NOT fenced FOR SHARE;

-- name: add
-- Registers one process start; again, when nobody knows whether it was stored.
INSERT INTO triggerer (id, host, capacity, queues, beat_at) VALUES (:id, :host, :capacity, :queues, :now) ON CONFLICT (id) DO NOTHING;

-- name: beat
-- The triggerer is alive, unless it was fenced, and has counted so much.
UPDATE triggerer SET beat_at = :now, counted = :counted WHERE id = :id AND NOT fenced;

-- name: fence
-- Nothing more can be written in the name of this triggerer.
UPDATE triggerer SET fenced = TRUE WHERE id = :id;

-- name: beats
-- The oldest and the newest beat of others that are not fenced; NULL when there is no other.
SELECT min(beat_at), max(beat_at) FROM triggerer WHERE NOT fenced AND id <> :me;

-- name: silent
-- Triggerers without a beat between two instants, not fenced yet, but for the one that asks.
SELECT id FROM triggerer WHERE NOT fenced AND (beat_at < :before OR beat_at > :after) AND id <> :me ORDER BY id;

-- name: fence_silent
-- Fences one of them if it is still silent; waits for the end of its running transaction.
UPDATE triggerer SET fenced = TRUE WHERE id = :id AND NOT fenced AND (beat_at < :before OR beat_at > :after);

-- name: forget
-- Fenced triggerers of long ago leave the register; they hold nothing.
DELETE FROM triggerer WHERE fenced AND beat_at < :before;

-- name: give_up_triggers (sqlite)
-- What they ran is anybody's. SQLite opens the list with json_each.
UPDATE trigger SET triggerer = NULL WHERE triggerer IN (SELECT value FROM json_each(:ids));

-- name: give_up_triggers (postgresql)
-- What they ran is anybody's. All rows are locked in their order, so that this never waits in a circle with their owners.
UPDATE trigger SET triggerer = NULL
FROM (SELECT trigger_pk FROM trigger WHERE triggerer = ANY(:ids::text[]) ORDER BY trigger_pk FOR UPDATE) AS held
WHERE trigger.trigger_pk = held.trigger_pk;

-- name: give_up_notes
-- Nobody is left to be told what has ended.
DELETE FROM trigger_end WHERE triggerer = :id AND NOT on_kill;

-- name: give_up_kills
-- What is to hear on_kill is anybody's.
UPDATE trigger_end SET triggerer = NULL, told = FALSE WHERE triggerer = :id;

-- name: all
-- All known triggerers, the last heard of first.
SELECT id, host, capacity, queues, beat_at, fenced, counted FROM triggerer ORDER BY fenced, beat_at DESC, id;

-- name: running
-- How many triggers each of them runs.
SELECT triggerer, count(*) FROM trigger WHERE triggerer IS NOT NULL GROUP BY triggerer ORDER BY triggerer;
