-- name: present (sqlite)
-- Whether the table of the revision exists. SQLite keeps its catalogue in a table of its own.
SELECT 1 FROM sqlite_master WHERE name = 'alembic_version';

-- name: present (postgresql)
-- Whether the table of the revision exists.
SELECT 1 WHERE to_regclass('alembic_version') IS NOT NULL;

-- name: revision
-- The revision of the schema.
SELECT version_num FROM alembic_version;

-- name: tables (sqlite)
-- The tables of the schema that this connection creates tables in. SQLite keeps its catalogue in a table of its own.
SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name;

-- name: tables (postgresql)
-- The tables of the schema that this connection creates tables in.
SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename;

-- name: quick_check (sqlite)
-- Whether the file is sound: one row `ok`, or the problems. Only SQLite has a file of its own to check.
PRAGMA quick_check;

-- name: quick_check (postgresql)
-- PostgreSQL checks its files itself.
SELECT 'ok';
