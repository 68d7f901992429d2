-- name: list
-- All pools by name.
SELECT name, slots, used, include_deferred, description FROM pool ORDER BY name;

-- name: find
-- Find a pool.
SELECT name, slots, used, include_deferred, description FROM pool WHERE name = :name;

-- name: put
-- Insert or replace the settings of a pool; its used slots stay.
INSERT INTO pool (name, slots, include_deferred, description) VALUES (:name, :slots, :include_deferred, :description)
ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, include_deferred = excluded.include_deferred,
       description = excluded.description;

-- name: remove
-- Delete a pool, unless slots of it are used.
DELETE FROM pool WHERE name = :name AND used = 0;

-- name: correct_used
-- Set the used slots to the number that a recount gave.
UPDATE pool SET used = :used WHERE name = :name AND used = :expected;

-- name: live_slots
-- Slots of task instances of unfinished runs by pool and state, by the partial index of unfinished runs.
SELECT i.pool, i.state, sum(i.pool_slots) FROM dag_run AS r JOIN task_instance AS i ON i.run_pk = r.run_pk
WHERE r.ended_at IS NULL AND i.pool IS NOT NULL AND i.state IN (1, 2, 3, 6, 7) GROUP BY i.pool, i.state;
