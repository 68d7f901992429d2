-- name: add
-- Insert what a transaction changed.
INSERT INTO change_journal (at, body) VALUES (:at, :body);

-- name: trim
-- Delete all rows but the newest.
DELETE FROM change_journal WHERE change_pk <= (SELECT max(change_pk) FROM change_journal) - :kept;

-- name: bounds
-- The oldest and the newest key.
SELECT (SELECT min(change_pk) FROM change_journal), (SELECT max(change_pk) FROM change_journal);

-- name: extent (sqlite)
-- The oldest and the newest key. SQLite's keys are the order of the commits, so these tell whether a row was added.
-- differs: SQLite has no gaps to count
SELECT COALESCE((SELECT min(change_pk) FROM change_journal), 0), COALESCE((SELECT max(change_pk) FROM change_journal), 0), 0;

-- name: extent (postgresql)
-- The oldest and the newest key, and the number of rows: on PostgreSQL a row with a smaller key may appear after one with a larger key.
SELECT COALESCE(min(change_pk), 0), COALESCE(max(change_pk), 0), count(*) FROM change_journal;

-- name: dag_changes_after
-- How many of the rows after a key there are, up to a number, and how many of them are about a DAG itself (`DagChange`).
SELECT count(*), COALESCE(sum(CASE WHEN replace(body, '["d",', '') <> body THEN 1 ELSE 0 END), 0)
FROM (SELECT body FROM change_journal WHERE change_pk > :change_pk LIMIT :limit) AS further;

-- name: newest_keys
-- The newest keys, newest first.
SELECT change_pk FROM change_journal ORDER BY change_pk DESC LIMIT :limit;

-- name: after
-- The rows after a key, oldest first.
SELECT change_pk, at, body FROM change_journal WHERE change_pk > :change_pk ORDER BY change_pk LIMIT :limit;

-- name: open_writers (sqlite)
-- Transactions that may have a key that is not visible yet: none, because SQLite has one writer at a time.
-- differs: catalogue tables
SELECT NULL WHERE FALSE;

-- name: open_writers (postgresql)
-- Transactions that may have a key that is not visible yet; here each holds this lock from before it takes a key until its end.
SELECT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND relation = 'change_journal'::regclass AND mode = 'RowExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database());

-- name: has_readers (sqlite)
-- Whether a process waits for a notification: none, because the processes that use SQLite are on one host and wake each other through sockets.
-- differs: catalogue tables
SELECT NULL WHERE FALSE;

-- name: has_readers (postgresql)
-- Whether a process waits for a notification: its session holds this advisory lock, which only PostgreSQL has here.
SELECT 1 FROM pg_locks
WHERE locktype = 'advisory' AND objid = 1735289197 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1;

-- name: run_names
-- DAG and id of some runs.
SELECT run_pk, dag_pk, run_id FROM dag_run WHERE run_pk {in :run_pks bigint};

-- name: dag_names
-- The ids of some DAGs, also of those that no file defines any more.
SELECT dag_pk, dag_id FROM dag WHERE dag_pk {in :dag_pks bigint};
