-- name: page
-- field: trigger_pk t.trigger_pk
-- field: dag_pk t.dag_pk
-- field: dag_id d.dag_id
-- nullable field: due_at t.due_at
-- nullable field: triggerer t.triggerer
-- The deferrals of task instances with the names of what they are about, and whether a question to a person is open.
SELECT t.trigger_pk, d.dag_id, r.run_id, n.task_id, t.map_index, t.classpath, t.kwargs, t.queue, t.due_at, t.timeout_at, t.triggerer,
       t.result IS NOT NULL OR t.sent, t.priority, t.created_at, d.paused, h.run_pk IS NOT NULL {keys}
FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk JOIN dag_run AS r ON r.run_pk = t.run_pk
JOIN task_name AS n ON n.dag_pk = t.dag_pk AND n.task_no = t.task_no
LEFT JOIN hitl_detail AS h ON h.run_pk = t.run_pk AND h.task_no = t.task_no AND h.map_index = t.map_index AND h.defer_seq = t.defer_seq
WHERE {conditions} ORDER BY {order} LIMIT :limit OFFSET :offset;
