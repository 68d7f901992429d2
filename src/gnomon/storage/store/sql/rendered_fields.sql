-- name: of_instance
-- The rendered fields of a task instance, a JSON object.
SELECT fields FROM rendered_fields WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index;
