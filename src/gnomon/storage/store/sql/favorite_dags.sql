-- name: put
-- Insert a favourite, if the DAG is stored; one that exists stays. The lock makes the deletion of the DAG wait for this transaction.
INSERT INTO favorite_dag (account, dag_pk, created_at) SELECT :account, dag_pk, :created_at FROM dag WHERE dag_pk = :dag_pk {lock FOR KEY SHARE}
ON CONFLICT (account, dag_pk) DO NOTHING;

-- name: remove
-- Delete a favourite.
DELETE FROM favorite_dag WHERE account = :account AND dag_pk = :dag_pk;

-- name: of_account
-- The favourites of an account.
SELECT dag_pk FROM favorite_dag WHERE account = :account ORDER BY dag_pk;

-- name: remove_account
-- Delete all favourites of an account.
DELETE FROM favorite_dag WHERE account = :account;
