-- What a scheduler that takes over needs of mapped tasks, and the names of their instances, for postgresql.

ALTER TABLE task_instance ADD COLUMN return_length INTEGER;
ALTER TABLE task_instance ADD COLUMN rendered_map_index TEXT;
ALTER TABLE task_instance ADD COLUMN factor_lengths TEXT;
