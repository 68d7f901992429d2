-- The address from which a user made a change, for sqlite.

ALTER TABLE event_log ADD COLUMN address TEXT;
