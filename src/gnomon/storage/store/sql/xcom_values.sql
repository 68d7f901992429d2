-- name: of_run
-- All XComs of a run.
SELECT n.task_id, x.map_index, x.key, x.value FROM xcom AS x
JOIN dag_run AS r ON r.run_pk = x.run_pk
JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
WHERE x.run_pk = :run_pk ORDER BY x.task_no, x.map_index, x.key;

-- name: of_task
-- The XComs of one task of a run under one key, by the unique index.
SELECT n.task_id, x.map_index, x.value, r.run_id FROM dag_run AS r
JOIN task_name AS n ON n.dag_pk = r.dag_pk
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.task_no = n.task_no AND x.key = :key
WHERE r.run_pk = :run_pk AND n.task_id = :task_id ORDER BY x.map_index;

-- name: of_task_indexes
-- The XComs of some instances of one task of a run under one key, by the unique index.
SELECT n.task_id, x.map_index, x.value, r.run_id FROM dag_run AS r
JOIN task_name AS n ON n.dag_pk = r.dag_pk
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.task_no = n.task_no AND x.key = :key
WHERE r.run_pk = :run_pk AND n.task_id = :task_id AND x.map_index BETWEEN :first AND :last ORDER BY x.map_index;

-- name: greatest_index
-- The greatest map index with a value of one task of a run under one key, by the unique index.
SELECT x.map_index FROM dag_run AS r
JOIN task_name AS n ON n.dag_pk = r.dag_pk
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.task_no = n.task_no AND x.key = :key
WHERE r.run_pk = :run_pk AND n.task_id = :task_id ORDER BY x.map_index DESC LIMIT 1;

-- name: origins_of_task
-- Which attempt stored each XCom of one task of a run under one key, without the values. By names, so that it is one query for each instance.
SELECT x.run_pk, x.task_no, x.map_index, x.key, i.seq, i.defer_seq, i.ended_at FROM dag AS d
JOIN dag_run AS r ON r.dag_pk = d.dag_pk
JOIN task_name AS n ON n.dag_pk = d.dag_pk
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.task_no = n.task_no AND x.key = :key
JOIN task_instance AS i ON i.run_pk = x.run_pk AND i.task_no = x.task_no AND i.map_index = x.map_index
WHERE d.dag_id = :dag_id AND r.run_id = :run_id AND n.task_id = :task_id ORDER BY x.map_index LIMIT :limit;

-- name: batch_of_task
-- The values of one task of a run under one key, a part of them by their place in the order of map indexes.
SELECT x.value FROM dag_run AS r
JOIN task_name AS n ON n.dag_pk = r.dag_pk
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.task_no = n.task_no AND x.key = :key
WHERE r.run_pk = :run_pk AND n.task_id = :task_id ORDER BY x.map_index LIMIT :limit OFFSET :start;

-- name: count_of_task
-- How many instances of one task of a run have a value under one key.
SELECT COUNT(*) FROM dag_run AS r
JOIN task_name AS n ON n.dag_pk = r.dag_pk
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.task_no = n.task_no AND x.key = :key
WHERE r.run_pk = :run_pk AND n.task_id = :task_id;

-- name: of_key
-- The XComs of a run under one key.
SELECT n.task_id, x.map_index, x.value, r.run_id FROM dag_run AS r
JOIN xcom AS x ON x.run_pk = r.run_pk AND x.key = :key
JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = x.task_no
WHERE r.run_pk = :run_pk ORDER BY x.task_no, x.map_index;

-- name: put
-- Insert or replace one value outside of the result of an attempt.
INSERT INTO xcom (run_pk, task_no, map_index, key, value) VALUES (:run_pk, :task_no, :map_index, :key, :value)
ON CONFLICT (run_pk, task_no, map_index, key) DO UPDATE SET value = excluded.value;

-- name: remove
-- Delete one value.
DELETE FROM xcom WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND key = :key;

-- name: lock_finished_task_instance
-- The state and the recorded length of a task instance, which does not change before the end of this transaction: its row is locked.
SELECT state, return_length FROM task_instance WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index {lock FOR SHARE};

-- name: runs_until_date
-- The runs of a DAG up to a date, newest first, for include_prior_dates of a task of another DAG.
SELECT r.run_pk FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk WHERE d.dag_id = :dag_id AND COALESCE(r.logical_at, r.run_after) <= :at
ORDER BY r.run_after DESC, r.run_pk DESC LIMIT :limit;

-- name: runs_until
-- The runs of a DAG up to one, newest first, for include_prior_dates.
SELECT run_pk FROM dag_run WHERE dag_pk = :dag_pk AND (run_after, run_pk) <= (:run_after, :run_pk)
ORDER BY run_after DESC, run_pk DESC LIMIT :limit;

-- name: differences
-- XComs of tasks without map index that have another value in another run, of the first rows of the run by the unique index. A long value is left out.
SELECT n.task_id, a.key, CASE WHEN LENGTH(b.value) <= :length THEN b.value END, CASE WHEN LENGTH(a.value) <= :length THEN a.value END
FROM (SELECT run_pk, task_no, map_index, key, value FROM xcom WHERE run_pk = :run_pk AND map_index = -1 ORDER BY task_no, key LIMIT :looked_at) AS a
JOIN xcom AS b ON b.run_pk = :other_pk AND b.task_no = a.task_no AND b.map_index = a.map_index AND b.key = a.key
JOIN dag_run AS r ON r.run_pk = a.run_pk
JOIN task_name AS n ON n.dag_pk = r.dag_pk AND n.task_no = a.task_no
WHERE a.value <> b.value ORDER BY a.task_no, a.key LIMIT :limit;
