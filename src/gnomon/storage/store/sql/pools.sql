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

-- name: live_slots
-- Slots of task instances of unfinished runs by pool and state, by the partial index of unfinished runs.
SELECT i.pool, i.state, sum(i.pool_slots) FROM dag_run AS r {cross} JOIN task_instance AS i ON i.run_pk = r.run_pk
WHERE r.ended_at IS NULL AND i.pool IS NOT NULL AND i.state IN (1, 2, 3, 6, 7) GROUP BY i.pool, i.state;

-- name: live_instances
-- Task instances of unfinished runs that hold slots of a pool or wait to be queued, with the names that people know, the highest priority first.
SELECT i.pool, d.dag_id, r.run_id, n.task_id, i.map_index, i.state, i.pool_slots, i.priority, i.started_at
FROM dag_run AS r {cross} JOIN task_instance AS i ON i.run_pk = r.run_pk {cross} JOIN dag AS d ON d.dag_pk = r.dag_pk
{cross} JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
WHERE r.ended_at IS NULL AND i.pool IS NOT NULL AND i.state IN (1, 2, 3, 6, 7)
ORDER BY i.priority DESC, r.run_after, r.run_pk, i.task_no, i.map_index LIMIT :limit;
