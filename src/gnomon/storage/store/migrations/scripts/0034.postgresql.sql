-- The queues that workers of the CeleryExecutor take messages from, for postgresql.

ALTER TABLE worker ADD COLUMN queues TEXT;
