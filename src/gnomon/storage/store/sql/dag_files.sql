-- name: put
-- Insert or replace the result of parsing a file.
INSERT INTO file (path, input_hash, inputs, has_volatile_import, fresh, parsed_at, duration_s, failed, warnings, stale, bundle_name, bundle_version)
VALUES (:path, :input_hash, :inputs, :has_volatile_import, :fresh, :at, :duration_s, :failed, :warnings, :stale, :bundle_name, :bundle_version)
ON CONFLICT (path) DO UPDATE SET input_hash = excluded.input_hash, inputs = excluded.inputs,
       has_volatile_import = excluded.has_volatile_import, parsed_at = excluded.parsed_at, duration_s = excluded.duration_s,
       failed = excluded.failed, warnings = excluded.warnings, stale = excluded.stale, gone_at = NULL, bundle_name = excluded.bundle_name,
       bundle_version = CASE WHEN excluded.failed AND file.bundle_version IS NOT NULL THEN file.bundle_version ELSE excluded.bundle_version END,
       fresh = CASE WHEN excluded.fresh IS NULL AND file.input_hash = excluded.input_hash THEN file.fresh ELSE excluded.fresh END
RETURNING file_pk;

-- name: list
-- Every file that is not deleted, with the result of its last parse.
SELECT path, input_hash, inputs, has_volatile_import, fresh, parsed_at, duration_s, failed, stale FROM file
WHERE gone_at IS NULL ORDER BY path;

-- name: stale
-- Files to parse again although no input has changed.
SELECT path FROM file WHERE stale AND gone_at IS NULL ORDER BY path;

-- name: mark_all_stale
-- Have every file parsed again.
UPDATE file SET stale = TRUE WHERE gone_at IS NULL;

-- name: mark_dag_stale
-- Have the file of a DAG parsed again.
UPDATE file SET stale = TRUE WHERE gone_at IS NULL AND file_pk = (SELECT file_pk FROM dag WHERE dag_id = :dag_id);

-- name: require_fresh_interpreter
-- From now on the tasks of a file need a fresh interpreter.
UPDATE file SET fresh = :reason WHERE path = :path;

-- name: mark_deleted
-- Mark a file as deleted.
UPDATE file SET gone_at = :at, stale = FALSE WHERE path = :path AND gone_at IS NULL RETURNING file_pk;

-- name: remove_errors
-- Delete the errors of a file.
DELETE FROM import_error WHERE file_pk = :file_pk;

-- name: add_errors
-- rows: file_pk bigint, number integer, kind text, message text, line integer, traceback text, at bigint
-- Insert errors of a file.
INSERT INTO import_error (file_pk, number, kind, message, line, traceback, at)
{values :file_pk, :number, :kind, :message, :line, :traceback, :at};

-- name: errors
-- All errors of files that are not deleted.
SELECT f.path, e.kind, e.message, e.line, e.traceback, e.at, f.bundle_name FROM import_error AS e JOIN file AS f ON f.file_pk = e.file_pk
WHERE f.gone_at IS NULL ORDER BY f.path, e.number;

-- name: listed_errors
-- All errors of files that are not deleted, with the keys of their rows.
SELECT e.file_pk, e.number, f.path, e.kind, e.message, e.line, e.traceback, e.at, f.bundle_name FROM import_error AS e JOIN file AS f ON f.file_pk = e.file_pk
WHERE f.gone_at IS NULL ORDER BY e.file_pk, e.number;

-- name: files_of_errors
-- The DAGs, also those that no file defines any more, whose files have errors.
SELECT d.dag_pk, f.path FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.version_pk IS NOT NULL AND d.file_pk IN (SELECT e.file_pk FROM import_error AS e) ORDER BY d.dag_pk;

-- name: warnings
-- Files that are not deleted and have warnings.
SELECT path, warnings FROM file WHERE gone_at IS NULL AND warnings <> '[]' ORDER BY path;

-- name: recheck_duplicates
-- Parse files again in which a DAG id was refused as a duplicate: the id may be free now.
UPDATE file SET stale = TRUE
WHERE gone_at IS NULL AND file_pk <> :file_pk AND file_pk IN (SELECT file_pk FROM import_error WHERE kind = 'duplicate')
RETURNING path;

-- name: move_to_bundle_version
-- The files of a bundle are those of another version of it now. A file that cannot be loaded keeps the version of its last good parse.
UPDATE file SET bundle_version = :version
WHERE bundle_name = :bundle_name AND gone_at IS NULL AND NOT failed AND (bundle_version IS NULL OR bundle_version <> :version)
RETURNING file_pk;
