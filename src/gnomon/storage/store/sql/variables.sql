-- name: get
-- Find a Variable.
SELECT key, value, description, encrypted FROM variable WHERE key = :key;

-- name: list
-- All Variables by key.
SELECT key, value, description, encrypted FROM variable ORDER BY key;

-- name: put
-- Insert or replace a Variable; without a new description the old one stays.
INSERT INTO variable (key, value, description, encrypted) VALUES (:key, :value, :description, :encrypted)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, encrypted = excluded.encrypted,
       description = COALESCE(excluded.description, variable.description);

-- name: remove
-- Delete a Variable.
DELETE FROM variable WHERE key = :key;
