"""Creates and upgrades the schema. The only source is the numbered SQL scripts `scripts/<revision>.<dialect>.sql`: 1 makes the whole schema.

Open `upgrade.py` first: it decides which scripts a database needs. `migration_targets.py` runs them in one transaction on
SQLite or PostgreSQL. `tables.toml` says what each table and column means; `docs/contributing/database.md` is generated from it.

To change the schema, add `scripts/N.sqlite.sql` and `scripts/N.postgresql.sql`, name N in
`store/schema_revision.py`, describe the new columns in `tables.toml`, and run `python docs/generate.py`. A script that was released is
never edited. `scripts/from_*.<dialect>.sql` make revision 1 of databases from before it. Decision record: docs/decisions/0010-schema-and-migrations.md.
"""

from gnomon.storage.store.migrations.upgrade import check_schema, upgrade_schema

__all__ = ["check_schema", "upgrade_schema"]
