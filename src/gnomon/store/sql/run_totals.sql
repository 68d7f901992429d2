-- name: wrong
-- The numbers of runs by state that differ from the rows of runs: the DAG, the state, the number that is recorded and the one that was counted.
SELECT d.dag_id, t.state, sum(t.recorded), sum(t.counted)
FROM (SELECT dag_pk, state, n AS recorded, 0 AS counted FROM run_tally
      UNION ALL SELECT dag_pk, state, 0 AS recorded, count(*) AS counted FROM dag_run GROUP BY dag_pk, state) AS t
LEFT JOIN dag AS d ON d.dag_pk = t.dag_pk
GROUP BY t.dag_pk, d.dag_id, t.state HAVING sum(t.recorded) <> sum(t.counted) ORDER BY d.dag_id, t.state;

-- name: lock (sqlite)
-- Let no other transaction change the numbers of runs before this one ends: SQLite has one writer.
SELECT 1;

-- name: lock (postgresql)
-- Let no other transaction change the numbers of runs before this one ends.
LOCK TABLE run_tally IN EXCLUSIVE MODE;

-- name: remove
-- Delete the numbers of runs of all DAGs.
DELETE FROM run_tally;

-- name: count_anew
-- Count the runs of all DAGs by state.
INSERT INTO run_tally (dag_pk, state, n) SELECT dag_pk, state, count(*) FROM dag_run GROUP BY dag_pk, state;
