-- name: put
-- rows: name text, alias_group text
-- Insert aliases, or replace their group by one that is not the default.
INSERT INTO asset_alias (name, alias_group) {values :name, :alias_group}
ON CONFLICT (name) DO UPDATE SET alias_group = excluded.alias_group WHERE excluded.alias_group <> 'asset' AND asset_alias.alias_group <> excluded.alias_group;

-- name: list
-- All aliases by key.
SELECT alias_pk, name, alias_group FROM asset_alias ORDER BY alias_pk;

-- name: of_assets
-- The aliases through which events of some assets were added.
SELECT DISTINCT e.asset_pk, a.alias_pk, a.name, a.alias_group
FROM asset_event AS e JOIN asset_event_alias AS l ON l.event_pk = e.event_pk JOIN asset_alias AS a ON a.name = l.alias
WHERE e.asset_pk {in :asset_pks bigint} AND e.aliases <> '[]' ORDER BY e.asset_pk, a.alias_pk;
