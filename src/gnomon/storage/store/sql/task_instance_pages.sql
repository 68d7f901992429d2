-- name: page
-- field: run_pk r.run_pk
-- field: task_no i.task_no
-- field: map_index i.map_index
-- field: dag_id d.dag_id
-- field: dag_pk r.dag_pk
-- field: run_id r.run_id
-- field: task_id n.task_id
-- members: task_id i.task_no = ANY(ARRAY(SELECT t.task_no FROM task_name AS t WHERE t.dag_pk = r.dag_pk AND t.task_id {in}))
-- field: state i.state
-- field: is_unsuccessful i.state
-- part: is_unsuccessful 1 i.state > 100
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
-- nullable field: run_end_date r.ended_at
-- nullable field: rendered_map_index i.rendered_map_index
-- nullable field: version_number v.number
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
-- Task instances of several runs that have a row, which a task instance gets with its first state. Their runs are read first, in the order of an
-- index. The rest of a row is read only for the page. `+` keeps PostgreSQL from joining the run first, by which it would then read all task instances of the run for each row.
SELECT i.run_pk, i.task_no, i.map_index, i.state, i.try_number, i.max_tries, i.seq, i.attempt,
       CASE WHEN i.worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = i.attempt), i.worker) END, i.defer_seq, i.pool, i.pool_slots,
       i.priority, i.resume_at, i.started_at, i.ended_at, i.reason, i.return_length, i.rendered_map_index, i.factor_lengths, i.overrides,
       n.task_id, i.version_pk {keys}
FROM (SELECT i.run_pk, i.task_no, i.map_index FROM dag_run AS r {cross} JOIN task_instance AS i ON i.run_pk = r.run_pk {joins}
      WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
{cross} JOIN task_instance AS i ON i.run_pk = found.run_pk AND i.task_no = found.task_no AND i.map_index = found.map_index
{cross} JOIN dag_run AS r ON r.run_pk = +i.run_pk {cross} JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = +i.task_no {order_joins}
ORDER BY {order};

-- name: page_by_instance
-- fields: page
-- field: run_pk i.run_pk
-- field: dag_pk (SELECT u.dag_pk FROM dag_run AS u WHERE u.run_pk = i.run_pk)
-- members: dag_pk (i.run_pk IN (SELECT u.run_pk FROM dag_run AS u WHERE u.dag_pk {in})) IS TRUE
-- join: r JOIN dag_run AS r ON r.run_pk = i.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
-- The same for states after success: the task instances are read first, by the partial index of these states. The DAG of each is looked up, or compared with
-- the runs of the wanted DAGs where these are few of all: the planners would read all of their runs, or look up each, whichever is more. IS TRUE keeps the order of the index on PostgreSQL, which would join and then sort.
SELECT i.run_pk, i.task_no, i.map_index, i.state, i.try_number, i.max_tries, i.seq, i.attempt,
       CASE WHEN i.worker IS NOT NULL THEN COALESCE((SELECT a.worker FROM remote_attempt AS a WHERE a.attempt = i.attempt), i.worker) END, i.defer_seq, i.pool, i.pool_slots,
       i.priority, i.resume_at, i.started_at, i.ended_at, i.reason, i.return_length, i.rendered_map_index, i.factor_lengths, i.overrides,
       n.task_id, i.version_pk {keys}
FROM (SELECT i.run_pk, i.task_no, i.map_index FROM task_instance AS i {joins}
      WHERE i.state > 100 AND {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
{cross} JOIN task_instance AS i ON i.run_pk = found.run_pk AND i.task_no = found.task_no AND i.map_index = found.map_index
{cross} JOIN dag_run AS r ON r.run_pk = +i.run_pk {cross} JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = +i.task_no {order_joins}
ORDER BY {order};

-- name: count
-- fields: page
-- join: r JOIN dag_run AS r ON r.run_pk = i.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
-- Counts the task instances that a page belongs to, up to a number.
SELECT count(*) FROM (SELECT 1 FROM task_instance AS i {joins} WHERE {conditions} LIMIT :most) AS found;

-- name: count_by_instance
-- fields: page
-- field: dag_pk (SELECT u.dag_pk FROM dag_run AS u WHERE u.run_pk = i.run_pk)
-- members: dag_pk (i.run_pk IN (SELECT u.run_pk FROM dag_run AS u WHERE u.dag_pk {in})) IS TRUE
-- join: r JOIN dag_run AS r ON r.run_pk = i.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
-- The same for states after success, by their partial index.
SELECT count(*) FROM (SELECT 1 FROM task_instance AS i {joins} WHERE i.state > 100 AND {conditions} LIMIT :most) AS found;

-- name: count_by_run
-- fields: page
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
-- The same for task instances of few runs, which are read first.
SELECT count(*) FROM (
    SELECT 1 FROM dag_run AS r {cross} JOIN task_instance AS i ON i.run_pk = r.run_pk {joins} WHERE {conditions} LIMIT :most
) AS found;

-- name: count_of_runs
-- fields: page
-- field: run_pk i.run_pk
-- join: r JOIN dag_run AS r ON r.run_pk = i.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = i.task_no
-- join: v LEFT JOIN dag_version AS v ON v.version_pk = i.version_pk
-- The same for task instances of runs whose keys are known; the runs are read only for what conditions ask of them.
SELECT count(*) FROM (SELECT 1 FROM task_instance AS i {joins} WHERE {conditions} LIMIT :most) AS found;
