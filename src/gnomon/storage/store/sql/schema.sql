-- name: present (sqlite)
-- Whether the table of the revision exists.
-- differs: catalogue tables
SELECT 1 FROM sqlite_master WHERE name = 'alembic_version';

-- name: present (postgresql)
SELECT 1 WHERE to_regclass('alembic_version') IS NOT NULL;

-- name: revision
-- The revision of the schema.
SELECT version_num FROM alembic_version;

-- name: tables (sqlite)
-- The tables of the schema that this connection creates tables in.
-- differs: catalogue tables
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name;

-- name: tables (postgresql)
SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename;

-- name: quick_check (sqlite)
-- Whether the file is sound: one row `ok`, or the problems.
-- differs: PostgreSQL checks its files itself
PRAGMA quick_check;

-- name: quick_check (postgresql)
SELECT 'ok';
