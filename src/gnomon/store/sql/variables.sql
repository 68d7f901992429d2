-- name: get
-- One Variable.
SELECT key, value, description, encrypted FROM variable WHERE key = :key;

-- name: list
-- All Variables by key.
SELECT key, value, description, encrypted FROM variable ORDER BY key;

-- name: put
-- A Variable has this value; a description that is not given stays.
INSERT INTO variable (key, value, description, encrypted) VALUES (:key, :value, :description, :encrypted)
ON CONFLICT (key) DO UPDATE SET value = excluded.value, encrypted = excluded.encrypted,
       description = COALESCE(excluded.description, variable.description);

-- name: remove
-- A Variable goes.
DELETE FROM variable WHERE key = :key;
