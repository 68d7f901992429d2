-- The queues that workers of the CeleryExecutor take messages from, for sqlite.

ALTER TABLE worker ADD COLUMN queues TEXT;
