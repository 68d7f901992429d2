-- name: present (sqlite)
-- Whether the version table is there. SQLite keeps its catalogue in a table of its own.
SELECT 1 FROM sqlite_master WHERE name = 'alembic_version';

-- name: present (postgresql)
-- Whether the version table is there.
SELECT 1 WHERE to_regclass('alembic_version') IS NOT NULL;

-- name: revision
-- The schema's revision.
SELECT version_num FROM alembic_version;
