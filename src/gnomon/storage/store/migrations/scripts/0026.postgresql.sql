-- Why no worker has claimed an attempt yet, and why none will, for postgresql.

ALTER TABLE remote_attempt ADD COLUMN wait_reason TEXT;
ALTER TABLE remote_attempt ADD COLUMN lost_reason TEXT;
ALTER TABLE remote_attempt ADD COLUMN costs_try BOOLEAN;
