-- An index for lists of task instances by their own times, for sqlite: which runs have a task instance that a user has marked after the end of the run.
-- Only marking a task instance by hand writes it.

CREATE INDEX event_log_marked ON event_log (at, run_pk) WHERE kind = 'marked';
