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
-- join: r JOIN dag_run AS r ON r.run_pk = x.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
-- XComs of one run or of several, without their values. The rest of a row is read only for the page.
SELECT x.xcom_pk, d.dag_id, r.run_id, n.task_id, x.map_index, x.key, r.run_after, r.logical_at, COALESCE(i.ended_at, i.started_at, r.queued_at), r.version_pk {keys}
FROM (SELECT x.xcom_pk FROM xcom AS x {joins} WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
{cross} JOIN xcom AS x ON x.xcom_pk = found.xcom_pk {cross} JOIN dag_run AS r ON r.run_pk = x.run_pk {cross} JOIN dag AS d ON d.dag_pk = r.dag_pk
{cross} JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
LEFT JOIN task_instance AS i ON i.run_pk = x.run_pk AND i.task_no = x.task_no AND i.map_index = x.map_index
ORDER BY {order};

-- name: keys
-- fields: page
-- join: r JOIN dag_run AS r ON r.run_pk = x.run_pk
-- Only the keys of the XComs of a page.
SELECT x.xcom_pk {keys} FROM xcom AS x {joins} WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count
-- fields: page
-- join: r JOIN dag_run AS r ON r.run_pk = x.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
-- Counts the XComs that a page belongs to, up to a number.
SELECT count(*) FROM (SELECT 1 FROM xcom AS x {joins} WHERE {conditions} LIMIT :most) AS found;

-- name: count_searched (sqlite)
-- fields: page
-- join: r JOIN dag_run AS r ON r.run_pk = x.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
-- The same for a part of the list that is searched. SQLite looks up the rest of each XCom anyway.
-- differs: PostgreSQL would read all runs for a join
SELECT count(*) FROM (SELECT 1 FROM xcom AS x {joins} WHERE {conditions} LIMIT :most) AS found;

-- name: count_searched (postgresql)
-- fields: page
-- join: r JOIN LATERAL (SELECT u.* FROM dag_run AS u WHERE u.run_pk = x.run_pk OFFSET 0) AS r ON r.run_pk = x.run_pk
-- join: d JOIN dag AS d ON d.dag_pk = r.dag_pk
-- join: n JOIN LATERAL (SELECT u.* FROM task_name AS u WHERE u.dag_pk = r.dag_pk AND u.task_no = x.task_no OFFSET 0) AS n ON n.dag_pk = r.dag_pk
-- The same for a part of the list that is searched: PostgreSQL would rather read all runs and all tasks than look up those of some thousand XComs
-- (OFFSET 0).
SELECT count(*) FROM (SELECT 1 FROM xcom AS x {joins} WHERE {conditions} LIMIT :most) AS found;

-- name: first_from_run
-- The first id of an XCom of the runs from one on. `+ 0`: PostgreSQL would rather pass over all XComs before it.
SELECT min(xcom_pk + 0) FROM xcom WHERE run_pk >= :run_pk;

-- name: last_up_to_run
-- The last id of an XCom of the runs up to one. `+ 0`: PostgreSQL would rather pass over all XComs behind it.
SELECT max(xcom_pk + 0) FROM xcom WHERE run_pk <= :run_pk;
