-- name: page
-- field: id x.xcom_pk
-- field: run_pk x.run_pk
-- field: dag_pk r.dag_pk
-- field: dag_id d.dag_id
-- field: run_id r.run_id
-- field: task_id n.task_id
-- field: key x.key
-- field: map_index x.map_index
-- field: run_after r.run_after
-- nullable field: logical_date r.logical_at
-- XComs of one run or of several, without their values.
SELECT x.xcom_pk, d.dag_id, r.run_id, n.task_id, x.map_index, x.key, r.run_after, r.logical_at, COALESCE(i.ended_at, i.started_at, r.queued_at), r.version_pk {keys}
FROM xcom AS x JOIN dag_run AS r ON r.run_pk = x.run_pk JOIN dag AS d ON d.dag_pk = r.dag_pk
JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
LEFT JOIN task_instance AS i ON i.run_pk = x.run_pk AND i.task_no = x.task_no AND i.map_index = x.map_index
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count
-- fields: page
-- join: r JOIN dag_run AS r ON r.run_pk = x.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
-- Counts the XComs that a page belongs to, up to a number.
SELECT count(*) FROM (SELECT 1 FROM xcom AS x {joins} WHERE {conditions} LIMIT :most) AS found;
