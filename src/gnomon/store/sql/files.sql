-- name: put
-- What a parse found out about a file.
INSERT INTO file (path, input_hash, inputs, looked_further, fresh, parsed_at, duration_s, failed, warnings, stale)
VALUES (:path, :input_hash, :inputs, :looked_further, :fresh, :at, :duration_s, :failed, :warnings, :stale)
ON CONFLICT (path) DO UPDATE SET input_hash = excluded.input_hash, inputs = excluded.inputs,
       looked_further = excluded.looked_further, parsed_at = excluded.parsed_at, duration_s = excluded.duration_s,
       failed = excluded.failed, warnings = excluded.warnings, stale = excluded.stale, gone_at = NULL,
       fresh = CASE WHEN excluded.fresh IS NULL AND file.input_hash = excluded.input_hash THEN file.fresh ELSE excluded.fresh END
RETURNING file_pk;

-- name: known
-- Every file that is there, as its last parse left it.
SELECT path, input_hash, inputs, looked_further, fresh, parsed_at, duration_s, failed, stale FROM file
WHERE gone_at IS NULL ORDER BY path;

-- name: stale
-- Files that are to be parsed again though nothing in them has changed.
SELECT path FROM file WHERE stale AND gone_at IS NULL ORDER BY path;

-- name: set_fresh
-- The tasks of a file need a fresh interpreter from now on.
UPDATE file SET fresh = :reason WHERE path = :path;

-- name: gone
-- A file was deleted.
UPDATE file SET gone_at = :at, stale = FALSE WHERE path = :path AND gone_at IS NULL RETURNING file_pk;

-- name: clear_errors
-- The errors of a file go.
DELETE FROM import_error WHERE file_pk = :file_pk;

-- name: add_error (sqlite)
-- rows: file_pk bigint, number integer, kind text, message text, line integer, traceback text, at bigint
-- Errors of a file. A batch is one row at a time here.
INSERT INTO import_error (file_pk, number, kind, message, line, traceback, at)
VALUES (:file_pk, :number, :kind, :message, :line, :traceback, :at);

-- name: add_error (postgresql)
-- rows: file_pk bigint, number integer, kind text, message text, line integer, traceback text, at bigint
-- Errors of a file. A batch is one statement here.
INSERT INTO import_error (file_pk, number, kind, message, line, traceback, at)
SELECT file_pk, number, kind, message, line, traceback, at FROM :rows;

-- name: errors
-- All errors of files that are there.
SELECT f.path, e.kind, e.message, e.line, e.traceback, e.at FROM import_error AS e JOIN file AS f ON f.file_pk = e.file_pk
WHERE f.gone_at IS NULL ORDER BY f.path, e.number;

-- name: warnings
-- Files that are there with what was noticed about them.
SELECT path, warnings FROM file WHERE gone_at IS NULL AND warnings <> '[]' ORDER BY path;

-- name: recheck_duplicates
-- Files in which a DAG id was refused as a duplicate are parsed again: the id may be free now.
UPDATE file SET stale = TRUE
WHERE gone_at IS NULL AND file_pk <> :file_pk AND file_pk IN (SELECT file_pk FROM import_error WHERE kind = 'duplicate')
RETURNING path;
