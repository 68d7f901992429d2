-- What task_instance_mutation_hook set for the try of a task instance, for sqlite.

ALTER TABLE task_instance ADD COLUMN overrides TEXT;
