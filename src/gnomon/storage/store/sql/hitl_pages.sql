-- name: page
-- field: run_pk h.run_pk
-- field: task_no h.task_no
-- field: map_index h.map_index
-- field: dag_pk h.dag_pk
-- field: dag_id d.dag_id
-- field: run_id h.run_id
-- field: task_id n.task_id
-- field: run_after h.run_after
-- field: state h.state
-- nullable field: rendered_map_index m.rendered_map_index
-- field: created_at h.created_at
-- nullable field: responded_at h.responded_at
-- field: subject {json h.request subject}
-- nullable field: body {json h.request body}
-- nullable field: responded_by_user_id {json h.response responded_by.id}
-- nullable field: responded_by_user_name {json h.response responded_by.name}
-- join: d JOIN dag AS d ON d.dag_pk = h.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = h.dag_pk AND n.task_no = h.task_no
-- join: m LEFT JOIN task_instance AS m ON m.run_pk = h.run_pk AND m.task_no = h.task_no AND m.map_index = h.map_index AND m.map_index >= 0
-- The newest question of each task instance, of one run or of several.
-- Only an instance of a mapped task has a rendered map index (m). The rest of a row is read only for the page: each table more multiplies the time in which PostgreSQL plans the statement, by 20 ms with one that is not needed.
SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq, h.try_number, h.request, h.created_at, h.due_at, h.response, d.dag_id, h.run_id, n.task_id {keys}
FROM (SELECT h.run_pk, h.task_no, h.map_index, h.defer_seq FROM hitl_detail AS h {joins}
      WHERE {conditions} AND NOT EXISTS (SELECT 1 FROM hitl_detail AS o WHERE o.run_pk = h.run_pk AND o.task_no = h.task_no
          AND o.map_index = h.map_index AND o.defer_seq > h.defer_seq) ORDER BY {order} LIMIT :limit OFFSET :offset) AS found
{cross} JOIN hitl_detail AS h ON h.run_pk = found.run_pk AND h.task_no = found.task_no AND h.map_index = found.map_index AND h.defer_seq = found.defer_seq
{cross} JOIN dag AS d ON d.dag_pk = h.dag_pk
{cross} JOIN task_name AS n ON n.dag_pk = h.dag_pk AND n.task_no = h.task_no {order_joins}
ORDER BY {order};

-- name: count
-- fields: page
-- join: d JOIN dag AS d ON d.dag_pk = h.dag_pk
-- join: n JOIN task_name AS n ON n.dag_pk = h.dag_pk AND n.task_no = h.task_no
-- join: m LEFT JOIN task_instance AS m ON m.run_pk = h.run_pk AND m.task_no = h.task_no AND m.map_index = h.map_index AND m.map_index >= 0
-- Counts the questions that a page belongs to, up to a number.
SELECT count(*) FROM (
    SELECT 1 FROM hitl_detail AS h {joins} WHERE {conditions} AND NOT EXISTS (SELECT 1 FROM hitl_detail AS o WHERE o.run_pk = h.run_pk AND o.task_no = h.task_no
    AND o.map_index = h.map_index AND o.defer_seq > h.defer_seq) LIMIT :most
) AS found;
