-- name: wrong
-- The numbers of runs by state that differ from the rows of runs: the key and the id of the DAG, the state, the number that is recorded and the one that was counted.
SELECT t.dag_pk, d.dag_id, t.state, sum(t.recorded), sum(t.counted)
FROM (SELECT dag_pk, state, n AS recorded, 0 AS counted FROM run_tally
      UNION ALL SELECT dag_pk, state, 0 AS recorded, count(*) AS counted FROM dag_run GROUP BY dag_pk, state) AS t
JOIN dag AS d ON d.dag_pk = t.dag_pk
GROUP BY t.dag_pk, d.dag_id, t.state HAVING sum(t.recorded) <> sum(t.counted) ORDER BY d.dag_id, t.state;
