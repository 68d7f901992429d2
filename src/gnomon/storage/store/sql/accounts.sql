-- name: add
-- Insert an account; no row is returned when the name is taken.
INSERT INTO account (name, name_key, password_hash, role, epoch, created_at) VALUES (:name, :name_key, :password_hash, :role, :epoch, :created_at)
ON CONFLICT (name_key) DO NOTHING RETURNING account_pk;

-- name: by_name
-- Find an account by its name in lower case.
SELECT account_pk, name, role, epoch, created_at, password_hash FROM account WHERE name_key = :name_key;

-- name: by_key
-- Find an account by its key.
SELECT account_pk, name, role, epoch, created_at, password_hash FROM account WHERE account_pk = :account_pk;

-- name: list
-- All accounts by name.
SELECT account_pk, name, role, epoch, created_at, password_hash FROM account ORDER BY name_key;

-- name: lock (sqlite)
-- Lock all accounts until the end of the transaction, so that two changes cannot take away the last administrator together.
-- differs: PostgreSQL locks all rows, SQLite has nothing to lock
SELECT account_pk FROM account ORDER BY account_pk LIMIT 1;

-- name: lock (postgresql)
SELECT account_pk FROM account ORDER BY account_pk FOR UPDATE;

-- name: lock_unchanged
-- An account whose password and role are those of an epoch, locked: until the end of the transaction nothing changes or deletes it.
SELECT 1 FROM account WHERE account_pk = :account_pk AND epoch = :epoch {lock FOR NO KEY UPDATE};

-- name: update_role
-- Change the role; signed tokens from before are not valid any more.
UPDATE account SET role = :role, epoch = epoch + 1 WHERE account_pk = :account_pk;

-- name: update_password
-- Change the password; signed tokens from before are not valid any more.
UPDATE account SET password_hash = :password_hash, epoch = epoch + 1 WHERE account_pk = :account_pk;

-- name: refresh_hash
-- Replace the hash of the same password by one with newer parameters.
UPDATE account SET password_hash = :password_hash WHERE account_pk = :account_pk AND password_hash = :old_hash;

-- name: remove
-- Delete an account with its grants, tokens and sessions.
DELETE FROM account WHERE account_pk = :account_pk;

-- name: grants
-- The grants of all accounts.
SELECT account_pk, kind, pattern, role FROM account_grant ORDER BY account_pk, kind, pattern;

-- name: grants_of
-- The grants of one account.
SELECT account_pk, kind, pattern, role FROM account_grant WHERE account_pk = :account_pk ORDER BY kind, pattern;

-- name: put_grant
-- Insert a grant, or change its role.
INSERT INTO account_grant (account_pk, kind, pattern, role) VALUES (:account_pk, :kind, :pattern, :role)
ON CONFLICT (account_pk, kind, pattern) DO UPDATE SET role = excluded.role;

-- name: remove_grant
-- Delete a grant.
DELETE FROM account_grant WHERE account_pk = :account_pk AND kind = :kind AND pattern = :pattern;
