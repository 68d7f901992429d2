-- name: list
-- All pools by name.
SELECT name, slots, used, include_deferred, description FROM pool ORDER BY name;

-- name: find
-- One pool.
SELECT name, slots, used, include_deferred, description FROM pool WHERE name = :name;

-- name: put
-- A pool has these settings; what is used of it stays.
INSERT INTO pool (name, slots, include_deferred, description) VALUES (:name, :slots, :include_deferred, :description)
ON CONFLICT (name) DO UPDATE SET slots = excluded.slots, include_deferred = excluded.include_deferred,
       description = excluded.description;

-- name: remove
-- A pool goes, unless something runs in it.
DELETE FROM pool WHERE name = :name AND used = 0;

-- name: repair
-- The number of used slots is what a recount found.
UPDATE pool SET used = :used WHERE name = :name AND used = :believed;
