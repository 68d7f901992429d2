-- name: of_dags
-- What some DAGs declare about assets.
SELECT dag_pk, role, task_id, leaf, place FROM dag_asset WHERE dag_pk {in :dag_pks bigint};

-- name: put
-- rows: dag_pk bigint, role text, task_id text, leaf text, place text, declared_at bigint
-- Insert declarations; one that is stored keeps its time.
INSERT INTO dag_asset (dag_pk, role, task_id, leaf, place, declared_at)
{values :dag_pk, :role, :task_id, :leaf, :place, :declared_at}
ON CONFLICT (dag_pk, role, task_id, leaf) DO UPDATE SET place = excluded.place;

-- name: remove
-- rows: dag_pk bigint, role text, task_id text, leaf text
-- Delete declarations that a new version no longer has.
DELETE FROM dag_asset {using rows}
WHERE dag_asset.dag_pk = :dag_pk AND dag_asset.role = :role AND dag_asset.task_id = :task_id AND dag_asset.leaf = :leaf;

-- name: put_assets
-- rows: name text, uri text, asset_group text, extra text, at bigint
-- Insert assets, or replace what their file says.
INSERT INTO asset (name, uri, asset_group, extra, created_at, updated_at) {values :name, :uri, :asset_group, :extra, :at, :at}
ON CONFLICT (name, uri) DO UPDATE SET asset_group = excluded.asset_group, extra = excluded.extra, updated_at = excluded.updated_at
WHERE (asset.asset_group, asset.extra) <> (excluded.asset_group, excluded.extra);

-- name: list_assets
-- All assets by name.
SELECT asset_pk, name, uri, asset_group, extra, created_at, updated_at FROM asset ORDER BY name, uri;

-- name: named_alike
-- The assets that share their name with another one.
SELECT name, uri FROM asset WHERE name IN (SELECT name FROM asset GROUP BY name HAVING count(*) > 1) ORDER BY name, uri;

-- name: active
-- What active DAGs declare about assets, with the file of the DAG.
SELECT n.dag_pk, d.dag_id, d.paused, n.role, n.task_id, n.leaf, n.place, n.declared_at, f.path
FROM dag_asset AS n JOIN dag AS d ON d.dag_pk = n.dag_pk JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.active ORDER BY d.dag_id, n.role, n.task_id, n.leaf;

-- name: active_on
-- What active DAGs declare about some assets, references or aliases.
SELECT n.dag_pk, d.dag_id, d.paused, n.role, n.task_id, n.leaf, n.place, n.declared_at, f.path
FROM dag_asset AS n JOIN dag AS d ON d.dag_pk = n.dag_pk JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.active AND n.leaf {in :leaves text} ORDER BY d.dag_id, n.role, n.task_id, n.leaf;

-- name: find_assets
-- The assets with a name or a URI; NULL matches any.
SELECT asset_pk, name, uri, asset_group, extra, created_at, updated_at FROM asset
WHERE (CAST(:name AS text) IS NULL OR name = :name) AND (CAST(:uri AS text) IS NULL OR uri = :uri) ORDER BY name, uri;

-- name: find_asset
-- One asset by its key.
SELECT asset_pk, name, uri, asset_group, extra, created_at, updated_at FROM asset WHERE asset_pk = :asset_pk;
