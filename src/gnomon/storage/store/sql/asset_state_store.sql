-- name: get
-- One value.
SELECT value FROM asset_state_store WHERE asset = :asset AND key = :key;

-- name: put
-- Insert or replace a value.
INSERT INTO asset_state_store (asset, key, value, updated_at, writer, source) VALUES (:asset, :key, :value, :updated_at, :writer, :source)
ON CONFLICT (asset, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, writer = excluded.writer, source = excluded.source;

-- name: remove
-- Delete a value.
DELETE FROM asset_state_store WHERE asset = :asset AND key = :key;

-- name: clear
-- Delete all values of an asset.
DELETE FROM asset_state_store WHERE asset = :asset;

-- name: list
-- All values of all assets.
SELECT asset, key, value, updated_at, writer, source FROM asset_state_store ORDER BY asset, key;

-- name: of_asset
-- All values of an asset.
SELECT asset, key, value, updated_at, writer, source FROM asset_state_store WHERE asset = :asset ORDER BY key;
