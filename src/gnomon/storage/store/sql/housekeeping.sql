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

-- name: expired_runs
-- Ended runs of a DAG before a position that ended before an instant, oldest first; not those with a pending callback or for which another run waits. The
-- rows are locked, so that a run that is cleared meanwhile is not deleted.
SELECT r.run_pk FROM dag_run AS r
WHERE r.dag_pk = :dag_pk AND (r.run_after, r.run_pk) < (:run_after, :run_pk) AND r.ended_at < :before AND r.run_after < :floor
  AND NOT EXISTS (SELECT 1 FROM run_callback AS c WHERE c.run_pk = r.run_pk AND c.state IN ('queued', 'running'))
  AND NOT EXISTS (SELECT 1 FROM run_wait AS w WHERE w.up_dag = :dag_id AND w.up_at IN (r.run_after, r.stands_for) AND w.state < 100)
ORDER BY r.run_after, r.run_pk LIMIT :limit {lock FOR UPDATE OF r SKIP LOCKED};

-- name: count_expired_runs
-- The number of runs that `expired_runs` finds.
SELECT count(*) FROM dag_run AS r
WHERE r.dag_pk = :dag_pk AND (r.run_after, r.run_pk) < (:run_after, :run_pk) AND r.ended_at < :before AND r.run_after < :floor
  AND NOT EXISTS (SELECT 1 FROM run_callback AS c WHERE c.run_pk = r.run_pk AND c.state IN ('queued', 'running'))
  AND NOT EXISTS (SELECT 1 FROM run_wait AS w WHERE w.up_dag = :dag_id AND w.up_at IN (r.run_after, r.stands_for) AND w.state < 100);

-- name: count_expired_events
-- The number of lines of the audit log before an instant.
SELECT count(*) FROM event_log WHERE at < :before AND event_pk < (SELECT max(event_pk) FROM event_log);

-- name: remove_events
-- Delete the oldest lines of the audit log before an instant. Lines are written in the order of time, but for the difference of clocks. The newest line
-- stays: SQLite would give its key to the next one.
DELETE FROM event_log WHERE event_pk IN
    (SELECT event_pk FROM event_log WHERE at < :before AND event_pk < (SELECT max(event_pk) FROM event_log) ORDER BY event_pk LIMIT :limit);

-- name: count_expired_requests
-- The number of answered requests before an instant.
SELECT count(*) FROM request WHERE state <> 'pending' AND at < :before;

-- name: remove_requests
-- Delete the oldest answered requests before an instant.
DELETE FROM request WHERE request_pk IN (SELECT request_pk FROM request WHERE state <> 'pending' AND at < :before ORDER BY request_pk LIMIT :limit);

-- name: count_expired_quarantine
-- The number of messages that were quarantined before an instant.
SELECT count(*) FROM quarantine WHERE (key IS NULL OR key NOT LIKE 'dag:%' AND key NOT LIKE 'group:%') AND at < :before;

-- name: remove_quarantine
-- Delete the oldest messages that were quarantined before an instant.
DELETE FROM quarantine WHERE quarantine_pk IN (SELECT quarantine_pk FROM quarantine WHERE (key IS NULL OR key NOT LIKE 'dag:%' AND key NOT LIKE 'group:%') AND at < :before ORDER BY quarantine_pk LIMIT :limit);

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

-- name: unused_asset_events
-- Events of assets before an instant, after a key, in the order of keys: not those that a DAG has yet to consume, those that a run consumed, and the newest
-- event of each asset.
SELECT e.event_pk, e.aliases FROM asset_event AS e
WHERE e.event_pk > :after AND e.at < :before AND e.event_pk NOT IN (SELECT q.event_pk FROM asset_queue AS q)
  AND NOT EXISTS (SELECT 1 FROM dag_run_asset_event AS c WHERE c.event_pk = e.event_pk)
  AND EXISTS (SELECT 1 FROM asset_event AS n WHERE n.asset_pk = e.asset_pk AND n.event_pk > e.event_pk)
ORDER BY e.event_pk LIMIT :limit;

-- name: count_unused_asset_events
-- The number of events that `unused_asset_events` finds from the first one on.
SELECT count(*) FROM asset_event AS e
WHERE e.at < :before AND e.event_pk NOT IN (SELECT q.event_pk FROM asset_queue AS q)
  AND NOT EXISTS (SELECT 1 FROM dag_run_asset_event AS c WHERE c.event_pk = e.event_pk)
  AND EXISTS (SELECT 1 FROM asset_event AS n WHERE n.asset_pk = e.asset_pk AND n.event_pk > e.event_pk);

-- name: remove_asset_events
-- rows: event_pk bigint
-- Delete events of assets.
DELETE FROM asset_event {using rows} WHERE asset_event.event_pk = :event_pk;

-- name: remove_event_aliases
-- rows: alias text, event_pk bigint
-- Delete the aliases through which events were added.
DELETE FROM asset_event_alias {using rows} WHERE asset_event_alias.alias = :alias AND asset_event_alias.event_pk = :event_pk;

-- name: superseded_versions
-- Versions of DAGs that are not the newest and that a newer one superseded before an instant.
SELECT v.dag_pk, v.version_pk FROM dag_version AS v JOIN dag AS d ON d.dag_pk = v.dag_pk
WHERE d.version_pk <> v.version_pk
  AND EXISTS (SELECT 1 FROM dag_version AS n WHERE n.dag_pk = v.dag_pk AND n.number > v.number AND n.created_at < :before)
ORDER BY v.dag_pk, v.version_pk;

-- name: used_versions
-- The versions that runs of a DAG, or task instances of these runs, refer to.
SELECT DISTINCT version_pk FROM dag_run WHERE dag_pk = :dag_pk
UNION SELECT DISTINCT t.version_pk FROM dag_run AS r JOIN task_instance AS t ON t.run_pk = r.run_pk WHERE r.dag_pk = :dag_pk;

-- name: remove_versions
-- rows: version_pk bigint
-- Delete versions of DAGs, but for those that a DAG has as its newest.
DELETE FROM dag_version {using rows} WHERE dag_version.version_pk = :version_pk
  AND NOT EXISTS (SELECT 1 FROM dag AS d WHERE d.dag_pk = dag_version.dag_pk AND d.version_pk = dag_version.version_pk);

-- name: remove_unused_sources
-- Delete the sources that no version of a DAG has any more, but for those that were used after an instant.
DELETE FROM dag_source WHERE used_at < :before AND NOT EXISTS (SELECT 1 FROM dag_version AS v WHERE v.source_hash = dag_source.source_hash);
