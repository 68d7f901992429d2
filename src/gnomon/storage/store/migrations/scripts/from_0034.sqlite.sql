-- From schema 0034, the last of the development versions before revision 1, to revision 1, for sqlite.

ALTER TABLE file RENAME COLUMN looked_further TO has_volatile_import;

ALTER TABLE "trigger" RENAME COLUMN fired TO result;
ALTER TABLE "trigger" RENAME COLUMN begun TO claimed_once;
ALTER TABLE trigger_end RENAME COLUMN told TO delivered;
