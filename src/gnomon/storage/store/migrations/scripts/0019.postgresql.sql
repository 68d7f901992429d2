-- The address from which a user made a change, for postgresql.

ALTER TABLE event_log ADD COLUMN address TEXT;
