-- name: page
-- field: run_pk i.run_pk
-- field: task_no i.task_no
-- field: map_index i.map_index
-- field: dag_id d.dag_id
-- field: dag_pk r.dag_pk
-- field: run_id r.run_id
-- field: task_id n.task_id
-- field: state i.state
-- field: try_number i.try_number
-- nullable field: pool i.pool
-- nullable field: start_date i.started_at
-- nullable field: end_date i.ended_at
-- nullable field: duration (i.ended_at - i.started_at)
-- field: updated_at COALESCE(i.ended_at, i.started_at, r.queued_at)
-- nullable field: logical_date r.logical_at
-- nullable field: data_interval_start r.interval_start
-- nullable field: data_interval_end r.interval_end
-- field: run_after r.run_after
-- nullable field: rendered_map_index i.rendered_map_index
-- nullable field: version_number v.number
-- Task instances of several runs that have a row, which a task instance gets with its first state.
SELECT i.run_pk, i.task_no, i.map_index, i.state, i.try_number, i.max_tries, i.seq, i.attempt, i.worker, i.defer_seq, i.pool, i.pool_slots,
       i.priority, i.resume_at, i.started_at, i.ended_at, i.reason, i.return_length, i.rendered_map_index, i.factor_lengths, i.overrides,
       n.task_id, i.version_pk {keys}
FROM task_instance AS i JOIN dag_run AS r ON r.run_pk = i.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count
-- fields: page
-- Counts the task instances that a page belongs to, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM task_instance AS i JOIN dag_run AS r ON r.run_pk = i.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
    JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
    WHERE {conditions} LIMIT :most
) AS found;
