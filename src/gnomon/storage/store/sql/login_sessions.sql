-- name: add
-- Insert a session.
INSERT INTO login_session (account_pk, secret_hash, created_at, rotated_at, used_at, address)
VALUES (:account_pk, :secret_hash, :now, :now, :now, :address);

-- name: find
-- The session whose present or previous secret has this hash.
SELECT session_pk, account_pk, secret_hash, previous_hash, created_at, rotated_at, used_at, address FROM login_session
WHERE secret_hash = :secret_hash OR previous_hash = :secret_hash;

-- name: get
-- A session by its key.
SELECT session_pk, account_pk, secret_hash, previous_hash, created_at, rotated_at, used_at, address FROM login_session WHERE session_pk = :session_pk;

-- name: lock_session
-- A session, locked: it does not end before the transaction.
SELECT 1 FROM login_session WHERE session_pk = :session_pk AND account_pk = :account_pk {lock FOR KEY SHARE};

-- name: list
-- The sessions of an account, the last used first.
SELECT session_pk, account_pk, secret_hash, previous_hash, created_at, rotated_at, used_at, address FROM login_session
WHERE account_pk = :account_pk ORDER BY used_at DESC, session_pk DESC;

-- name: rotate
-- Give a session a new secret, unless another request has just done so.
UPDATE login_session SET previous_hash = secret_hash, secret_hash = :new_hash, rotated_at = :now, used_at = :now
WHERE session_pk = :session_pk AND secret_hash = :old_hash;

-- name: touch
-- Note that a session was used.
UPDATE login_session SET used_at = :now WHERE session_pk = :session_pk AND used_at < :now;

-- name: remove
-- End a session.
DELETE FROM login_session WHERE session_pk = :session_pk RETURNING account_pk;

-- name: remove_old
-- End sessions that were not used since an instant, or began before another.
DELETE FROM login_session WHERE used_at < :idle_before OR created_at < :begun_before;
