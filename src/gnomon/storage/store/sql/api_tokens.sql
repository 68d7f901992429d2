-- name: add
-- Insert a token.
INSERT INTO api_token (uid, account_pk, name, secret_hash, role, created_at, expires_at)
VALUES (:uid, :account_pk, :name, :secret_hash, :role, :created_at, :expires_at);

-- name: find
-- A token with the hash of its secret.
SELECT t.token_pk, t.uid, t.account_pk, a.name, t.name, t.role, t.created_at, t.expires_at, t.used_at, t.revoked_at, t.secret_hash
FROM api_token AS t JOIN account AS a ON a.account_pk = t.account_pk WHERE t.uid = :uid;

-- name: list
-- All tokens, newest first.
SELECT t.token_pk, t.uid, t.account_pk, a.name, t.name, t.role, t.created_at, t.expires_at, t.used_at, t.revoked_at
FROM api_token AS t JOIN account AS a ON a.account_pk = t.account_pk ORDER BY t.created_at DESC, t.token_pk DESC;

-- name: touch
-- Note that a token was used.
UPDATE api_token SET used_at = :now WHERE token_pk = :token_pk AND (used_at IS NULL OR used_at < :now);

-- name: revoke
-- Revoke a token for good.
UPDATE api_token SET revoked_at = :now WHERE token_pk = :token_pk AND revoked_at IS NULL;
