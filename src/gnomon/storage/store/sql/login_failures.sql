-- name: find
-- The failed logins from a source.
SELECT failures, last_at FROM login_failure WHERE source = :source;

-- name: add
-- Count one more failure of a source; one that was long ago is forgotten first.
INSERT INTO login_failure (source, failures, last_at) VALUES (:source, 1, :now)
ON CONFLICT (source) DO UPDATE SET last_at = excluded.last_at,
       failures = CASE WHEN login_failure.last_at < :forgotten_before THEN 1 ELSE login_failure.failures + 1 END;

-- name: remove
-- Forget the failures of a source.
DELETE FROM login_failure WHERE source = :source;

-- name: remove_old
-- Forget failures that were long ago.
DELETE FROM login_failure WHERE last_at < :forgotten_before;
