-- name: dags
-- DAGs with the number of their runs that have ended.
SELECT d.dag_pk, d.dag_id, sum(t.n) FROM dag AS d JOIN run_tally AS t ON t.dag_pk = d.dag_pk
WHERE t.state >= 100 AND t.n > 0 GROUP BY d.dag_pk, d.dag_id ORDER BY d.dag_pk;

-- name: newest_kept
-- The position of the last of the newest ended runs of a DAG that are kept by number.
SELECT run_after, run_pk FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL
ORDER BY run_after DESC, run_pk DESC LIMIT 1 OFFSET :skipped;

-- name: oldest_unfinished
-- The position of the oldest unfinished run of a DAG.
SELECT run_after, run_pk FROM dag_run
WHERE ended_at IS NULL AND dag_pk = :dag_pk AND group_no = (SELECT group_no FROM dag WHERE dag_pk = :dag_pk)
ORDER BY run_after, run_pk LIMIT 1;

-- name: active_backfill
-- Whether a backfill of a DAG has not ended.
SELECT 1 FROM backfill WHERE dag_pk = :dag_pk AND ended_at IS NULL;

-- name: downstream_floor
-- The earliest slot for which a DAG downstream of another one may still need a run: that of its oldest unfinished run, of its next
-- run, or the begin of its backfill.
SELECT min(at) FROM (
    SELECT d.next_run_after AS at FROM dag_edge AS e JOIN dag AS d ON d.dag_pk = e.dag_pk WHERE e.up_dag = :dag_id AND d.active
    UNION ALL SELECT r.run_after FROM dag_edge AS e JOIN dag_run AS r ON r.dag_pk = e.dag_pk WHERE e.up_dag = :dag_id AND r.ended_at IS NULL
    UNION ALL SELECT b.from_at FROM dag_edge AS e JOIN backfill AS b ON b.dag_pk = e.dag_pk WHERE e.up_dag = :dag_id AND b.ended_at IS NULL
) AS needed;

-- name: expired_runs (sqlite)
-- Ended runs of a DAG before a position that ended before an instant, oldest first; not those that owe a callback or for which another
-- run waits. SQLite has one writer at a time, so no lock is needed.
SELECT r.run_pk FROM dag_run AS r
WHERE r.dag_pk = :dag_pk AND (r.run_after, r.run_pk) < (:run_after, :run_pk) AND r.ended_at < :before AND r.run_after < :floor
  AND NOT EXISTS (SELECT 1 FROM run_callback AS c WHERE c.run_pk = r.run_pk AND c.state IN ('queued', 'running'))
  AND NOT EXISTS (SELECT 1 FROM run_wait AS w WHERE w.up_dag = :dag_id AND w.up_at IN (r.run_after, r.stands_for) AND w.state < 100)
ORDER BY r.run_after, r.run_pk LIMIT :limit;

-- name: expired_runs (postgresql)
-- Ended runs of a DAG before a position that ended before an instant, oldest first; not those that owe a callback or for which another
-- run waits. The rows are locked, so that a run that is cleared meanwhile is not deleted.
SELECT r.run_pk FROM dag_run AS r
WHERE r.dag_pk = :dag_pk AND (r.run_after, r.run_pk) < (:run_after, :run_pk) AND r.ended_at < :before AND r.run_after < :floor
  AND NOT EXISTS (SELECT 1 FROM run_callback AS c WHERE c.run_pk = r.run_pk AND c.state IN ('queued', 'running'))
  AND NOT EXISTS (SELECT 1 FROM run_wait AS w WHERE w.up_dag = :dag_id AND w.up_at IN (r.run_after, r.stands_for) AND w.state < 100)
ORDER BY r.run_after, r.run_pk LIMIT :limit FOR UPDATE OF r SKIP LOCKED;

-- name: count_expired_runs
-- The number of runs that `expired_runs` finds.
SELECT count(*) FROM dag_run AS r
WHERE r.dag_pk = :dag_pk AND (r.run_after, r.run_pk) < (:run_after, :run_pk) AND r.ended_at < :before AND r.run_after < :floor
  AND NOT EXISTS (SELECT 1 FROM run_callback AS c WHERE c.run_pk = r.run_pk AND c.state IN ('queued', 'running'))
  AND NOT EXISTS (SELECT 1 FROM run_wait AS w WHERE w.up_dag = :dag_id AND w.up_at IN (r.run_after, r.stands_for) AND w.state < 100);

-- name: count_expired_events
-- The number of lines of the audit log before an instant.
SELECT count(*) FROM event_log WHERE at < :before;

-- name: remove_events
-- Delete the oldest lines of the audit log before an instant. Lines are written in the order of time, but for the difference of clocks.
DELETE FROM event_log WHERE event_pk IN (SELECT event_pk FROM event_log WHERE at < :before ORDER BY event_pk LIMIT :limit);

-- name: count_expired_xcoms
-- The number of XComs of runs that ended before an instant.
SELECT count(*) FROM xcom AS x JOIN dag_run AS r ON r.run_pk = x.run_pk WHERE r.ended_at < :before;

-- name: remove_xcoms
-- Delete XComs of runs that ended before an instant.
DELETE FROM xcom WHERE xcom_pk IN
    (SELECT x.xcom_pk FROM xcom AS x JOIN dag_run AS r ON r.run_pk = x.run_pk WHERE r.ended_at < :before ORDER BY x.xcom_pk LIMIT :limit);

-- name: count_expired_alerts
-- The number of alerts that were resolved before an instant.
SELECT count(*) FROM alert WHERE resolved_at < :before;

-- name: remove_alerts
-- Delete alerts that were resolved before an instant.
DELETE FROM alert WHERE alert_pk IN (SELECT alert_pk FROM alert WHERE resolved_at < :before ORDER BY alert_pk LIMIT :limit);

-- name: count_expired_deliveries
-- The number of messages that ended before an instant.
SELECT count(*) FROM alert_delivery WHERE ended_at < :before;

-- name: remove_deliveries
-- Delete messages that ended before an instant.
DELETE FROM alert_delivery WHERE delivery_pk IN
    (SELECT delivery_pk FROM alert_delivery WHERE ended_at < :before ORDER BY delivery_pk LIMIT :limit);

-- name: count_expired_facts
-- The number of facts before an instant that no monitor has read.
SELECT count(*) FROM alert_event WHERE at < :before;

-- name: remove_facts
-- Delete facts before an instant that no monitor has read: where none runs, nobody else deletes them.
DELETE FROM alert_event WHERE event_pk IN (SELECT event_pk FROM alert_event WHERE at < :before ORDER BY event_pk LIMIT :limit);
