-- name: present (sqlite)
-- Whether the version table is there. SQLite keeps its catalogue in a table of its own.
SELECT 1 FROM sqlite_master WHERE name = 'alembic_version';

-- name: present (postgresql)
-- Whether the version table is there.
SELECT 1 WHERE to_regclass('alembic_version') IS NOT NULL;

-- name: revision
-- The schema's revision.
SELECT version_num FROM alembic_version;

-- name: tables (sqlite)
-- The tables that are there. SQLite keeps its catalogue in a table of its own.
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name;

-- name: tables (postgresql)
-- The tables of the schema that this connection makes tables in.
SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename;
