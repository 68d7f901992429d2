-- name: dags_of_groups
-- The DAGs of some groups with their newest version.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.active, d.plan_seq, d.cursor, d.next_body, d.fingerprint,
       d.version_pk, v.spec, f.path, d.input_hash, f.fresh, d.error, f.has_volatile_import, d.dependency_error, d.live_at,
       f.bundle_name, f.bundle_version
FROM dag AS d JOIN dag_version AS v ON v.version_pk = d.version_pk JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.group_no {in :groups bigint} ORDER BY d.dag_pk;

-- name: dags
-- Some DAGs with their newest version.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.active, d.plan_seq, d.cursor, d.next_body, d.fingerprint,
       d.version_pk, v.spec, f.path, d.input_hash, f.fresh, d.error, f.has_volatile_import, d.dependency_error, d.live_at,
       f.bundle_name, f.bundle_version
FROM dag AS d JOIN dag_version AS v ON v.version_pk = d.version_pk JOIN file AS f ON f.file_pk = d.file_pk
WHERE d.dag_pk {in :dag_pks bigint} ORDER BY d.dag_pk;

-- name: task_numbers
-- The numbers of the tasks of some DAGs.
SELECT dag_pk, task_id, task_no FROM task_name WHERE dag_pk {in :dag_pks bigint} ORDER BY dag_pk, task_no;

-- name: unfinished_runs
-- The unfinished runs of some groups, by the partial index, without queued runs that wait in the store for their turn in a backfill.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE ended_at IS NULL AND group_no {in :groups bigint}
       AND (state <> 1 OR backfill_pk IS NULL OR NOT EXISTS (SELECT 1 FROM backfill AS b
            WHERE b.backfill_pk = dag_run.backfill_pk AND b.is_windowed AND b.ended_at IS NULL)
            OR EXISTS (SELECT 1 FROM run_wait AS w WHERE w.down_run = dag_run.run_pk))
ORDER BY run_pk;

-- name: run
-- One run.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE run_pk = :run_pk;

-- name: newest_ended_run
-- The newest ended run of a DAG.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: ended_run_before
-- The newest ended run of a DAG before a run.
SELECT run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
       queued_at, started_at, ended_at, reason, clear_number, stands_for, partition_key, partition_date, backfill_pk, bundle_version
FROM dag_run WHERE dag_pk = :dag_pk AND ended_at IS NOT NULL AND (run_after, run_pk) < (:run_after, :run_pk)
ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: task_instances
-- The task instances of some runs, each a range of the primary key.
SELECT run_pk, task_no, map_index, state, try_number, max_tries, seq, attempt, worker, defer_seq, pool, pool_slots,
       priority, resume_at, started_at, ended_at, reason, return_length, rendered_map_index, factor_lengths, overrides
FROM task_instance WHERE run_pk {in :run_pks bigint} ORDER BY run_pk, task_no, map_index;

-- name: specs
-- The specs of some versions.
SELECT version_pk, spec FROM dag_version WHERE version_pk {in :version_pks bigint};
