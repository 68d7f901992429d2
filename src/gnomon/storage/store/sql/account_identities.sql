-- name: find
-- The account that a subject of an identity provider uses.
SELECT account_pk FROM account_identity WHERE issuer = :issuer AND subject = :subject;

-- name: add
-- A subject of an identity provider uses an account from now on.
INSERT INTO account_identity (issuer, subject, account_pk) VALUES (:issuer, :subject, :account_pk);

-- name: count_of
-- The number of subjects that use an account.
SELECT count(*) FROM account_identity WHERE account_pk = :account_pk;
