-- name: put
-- Insert a note, or replace its text, if the run is stored. The lock makes the deletion of the run wait for this transaction.
INSERT INTO note (run_pk, task_no, map_index, content, author, created_at, updated_at)
SELECT run_pk, :task_no, :map_index, :content, :author, :at, :at FROM dag_run WHERE run_pk = :run_pk {lock FOR KEY SHARE}
ON CONFLICT (run_pk, task_no, map_index) DO UPDATE SET content = excluded.content, author = excluded.author, updated_at = excluded.updated_at;

-- name: remove
-- Delete a note.
DELETE FROM note WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;

-- name: of_runs
-- The notes of some runs and of their task instances.
SELECT run_pk, task_no, map_index, content, author, updated_at FROM note
WHERE run_pk {in :run_pks bigint} ORDER BY run_pk, task_no, map_index;

-- name: find
-- The text of a note.
SELECT content FROM note WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;
