-- name: read
-- How far traces are exported.
SELECT ended_at, run_pk FROM trace_cursor;

-- name: put
-- Remember how far traces are exported.
INSERT INTO trace_cursor (only_row, ended_at, run_pk) VALUES (1, :ended_at, :run_pk)
ON CONFLICT (only_row) DO UPDATE SET ended_at = excluded.ended_at, run_pk = excluded.run_pk;

-- name: ended_runs
-- Runs of all DAGs that ended after a position and until an instant, in the order of their ends, by the index over states and ends.
SELECT r.run_pk, r.dag_pk, r.run_id, r.run_type, r.state, r.run_after, r.logical_at, r.interval_start, r.interval_end,
       r.version_pk, r.conf, r.queued_at, r.started_at, r.ended_at, r.reason, r.clear_number, r.stands_for, r.partition_key, r.partition_date, r.backfill_pk, r.bundle_version, d.dag_id
FROM (SELECT s.run_pk FROM (SELECT run_pk FROM dag_run WHERE state = 100 AND (ended_at, run_pk) > (:ended_at, :run_pk) AND ended_at <= :until
                            ORDER BY ended_at, run_pk LIMIT :limit) AS s
      UNION ALL SELECT f.run_pk FROM (SELECT run_pk FROM dag_run WHERE state = 101 AND (ended_at, run_pk) > (:ended_at, :run_pk) AND ended_at <= :until
                                      ORDER BY ended_at, run_pk LIMIT :limit) AS f) AS found
     JOIN dag_run AS r ON r.run_pk = found.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
ORDER BY r.ended_at, r.run_pk LIMIT :limit;
