-- name: of_account
-- The views of an account by page and name.
SELECT page, name, query, is_default FROM saved_view WHERE account_pk = :account_pk ORDER BY page, name;

-- name: lock_account
-- Lock the account until the end of the transaction, so that two changes at once cannot make more views than the limit, or two defaults.
SELECT account_pk FROM account WHERE account_pk = :account_pk {lock FOR UPDATE};

-- name: undo_default
-- No view of the page is the default.
UPDATE saved_view SET is_default = 0 WHERE account_pk = :account_pk AND page = :page AND is_default = 1;

-- name: put
-- Insert a view, or replace the one with its name.
INSERT INTO saved_view (account_pk, page, name, query, is_default) VALUES (:account_pk, :page, :name, :query, :is_default)
ON CONFLICT (account_pk, page, name) DO UPDATE SET query = excluded.query, is_default = excluded.is_default;

-- name: remove
-- Delete a view.
DELETE FROM saved_view WHERE account_pk = :account_pk AND page = :page AND name = :name;
