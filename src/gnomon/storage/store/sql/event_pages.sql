-- name: keys
-- field: event_log_id e.event_pk
-- field: when e.at
-- field: event e.kind
-- field: owner e.by
-- field: extra e.body
-- field: map_index e.map_index
-- nullable field: run_pk e.run_pk
-- nullable field: dag_pk COALESCE(e.dag_pk, r.dag_pk)
-- nullable field: dag_id d.dag_id
-- nullable field: run_id r.run_id
-- nullable field: task_id n.task_id
-- nullable field: logical_date r.logical_at
-- Only the keys of the rows of a page, by fields of the audit log itself.
SELECT e.event_pk {keys} FROM event_log AS e WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: page (sqlite)
-- fields: keys
-- The audit log with the names of what its rows are about. SQLite reads the rows of the audit log first.
-- differs: PostgreSQL would read all runs for a join
SELECT e.event_pk, e.at, e.kind, e.map_index, e.by, e.body, e.address, d.dag_id, d.version_pk, r.run_id, r.logical_at, n.task_id {keys}
FROM event_log AS e LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
LEFT JOIN dag AS d ON d.dag_pk = COALESCE(e.dag_pk, r.dag_pk) LEFT JOIN task_name AS n ON n.dag_pk = d.dag_pk AND n.task_no = e.task_no
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: page (postgresql)
-- fields: keys
-- PostgreSQL looks up the run of each row (LATERAL, LIMIT): of ten thousand rows it would rather read all runs.
SELECT e.event_pk, e.at, e.kind, e.map_index, e.by, e.body, e.address, d.dag_id, d.version_pk, r.run_id, r.logical_at, n.task_id {keys}
FROM event_log AS e LEFT JOIN LATERAL (SELECT u.dag_pk, u.run_id, u.logical_at FROM dag_run AS u WHERE u.run_pk = e.run_pk LIMIT 1) AS r ON true
LEFT JOIN dag AS d ON d.dag_pk = COALESCE(e.dag_pk, r.dag_pk) LEFT JOIN task_name AS n ON n.dag_pk = d.dag_pk AND n.task_no = e.task_no
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: page_of_dag
-- fields: keys
-- The part of it that is about one DAG or its runs.
SELECT e.event_pk, e.at, e.kind, e.map_index, e.by, e.body, e.address, d.dag_id, d.version_pk, r.run_id, r.logical_at, n.task_id {keys}
FROM (SELECT event_pk FROM event_log WHERE dag_pk = :dag_pk
      UNION SELECT o.event_pk FROM dag_run AS u JOIN event_log AS o ON o.run_pk = u.run_pk WHERE u.dag_pk = :dag_pk) AS chosen
     {cross} JOIN event_log AS e ON e.event_pk = chosen.event_pk
LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
LEFT JOIN dag AS d ON d.dag_pk = COALESCE(e.dag_pk, r.dag_pk) LEFT JOIN task_name AS n ON n.dag_pk = d.dag_pk AND n.task_no = e.task_no
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;

-- name: count (sqlite)
-- fields: keys
-- join: r LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
-- join: d LEFT JOIN dag AS d ON d.dag_pk = COALESCE(e.dag_pk, r.dag_pk)
-- join: n LEFT JOIN task_name AS n ON n.dag_pk = d.dag_pk AND n.task_no = e.task_no
-- Counts the rows that a page belongs to, up to a number. SQLite reads the rows of the audit log first.
-- differs: PostgreSQL would read all runs for a join
SELECT count(*) FROM (SELECT 1 FROM event_log AS e {joins} WHERE {conditions} LIMIT :most) AS found;

-- name: count (postgresql)
-- fields: keys
-- join: r LEFT JOIN LATERAL (SELECT u.dag_pk, u.run_id, u.logical_at FROM dag_run AS u WHERE u.run_pk = e.run_pk LIMIT 1) AS r ON true
-- join: d LEFT JOIN dag AS d ON d.dag_pk = COALESCE(e.dag_pk, r.dag_pk)
-- join: n LEFT JOIN task_name AS n ON n.dag_pk = d.dag_pk AND n.task_no = e.task_no
-- PostgreSQL looks up the run of each, as for the page.
SELECT count(*) FROM (SELECT 1 FROM event_log AS e {joins} WHERE {conditions} LIMIT :most) AS found;

-- name: count_of_dag
-- fields: keys
-- join: r LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
-- join: d LEFT JOIN dag AS d ON d.dag_pk = COALESCE(e.dag_pk, r.dag_pk)
-- join: n LEFT JOIN task_name AS n ON n.dag_pk = COALESCE(e.dag_pk, r.dag_pk) AND n.task_no = e.task_no
-- The same for the part that is about one DAG or its runs.
SELECT count(*) FROM (
    SELECT 1 FROM (SELECT event_pk FROM event_log WHERE dag_pk = :dag_pk
      UNION SELECT o.event_pk FROM dag_run AS u JOIN event_log AS o ON o.run_pk = u.run_pk WHERE u.dag_pk = :dag_pk) AS chosen
     {cross} JOIN event_log AS e ON e.event_pk = chosen.event_pk {joins}
    WHERE {conditions} LIMIT :most
) AS found;
