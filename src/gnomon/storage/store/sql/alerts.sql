-- name: events
-- rows: kind text, at bigint, dag_pk bigint, run_pk bigint, task_no integer, map_index integer, body text
-- Record facts for the monitor.
INSERT INTO alert_event (kind, at, dag_pk, run_pk, task_no, map_index, body)
{values :kind, :at, :dag_pk, :run_pk, :task_no, :map_index, :body};

-- name: pending_events
-- Facts that the monitor has not read yet, oldest first.
SELECT event_pk, kind, at, dag_pk, run_pk, task_no, map_index, body FROM alert_event ORDER BY event_pk LIMIT :limit;

-- name: oldest_event
-- When the oldest fact that the monitor has not read yet was recorded.
SELECT min(at) FROM alert_event;

-- name: remove_events
-- rows: event_pk bigint
-- Delete facts that the monitor has applied.
DELETE FROM alert_event {using rows} WHERE alert_event.event_pk = :event_pk;

-- name: raise
-- Insert an alert, unless the rule has an open one about the same subject.
INSERT INTO alert (rule, kind, subject, dag_pk, run_pk, raised_at, resolved_at, body)
VALUES (:rule, :kind, :subject, :dag_pk, :run_pk, :raised_at, :resolved_at, :body)
ON CONFLICT (rule, subject) WHERE resolved_at IS NULL DO NOTHING;

-- name: open_of_subject
-- The open alert of a rule about a subject.
SELECT alert_pk, run_pk, body FROM alert WHERE rule = :rule AND subject = :subject AND resolved_at IS NULL;

-- name: last_of_runs
-- Which of two runs of a DAG is the later one in the order of runs.
SELECT run_pk FROM dag_run WHERE run_pk IN (:first_pk, :second_pk) ORDER BY run_after DESC, run_pk DESC LIMIT 1;

-- name: join_failure
-- An open alert is about one more run.
UPDATE alert SET run_pk = :run_pk, body = :body WHERE alert_pk = :alert_pk AND resolved_at IS NULL;

-- name: resolve
-- Resolve an alert that is open.
UPDATE alert SET resolved_at = CASE WHEN raised_at > :now THEN raised_at ELSE :now END
WHERE alert_pk = :alert_pk AND resolved_at IS NULL;

-- name: open
-- The open alerts, oldest first.
SELECT alert_pk, rule, kind, subject, dag_pk, run_pk, raised_at, resolved_at, body FROM alert
WHERE resolved_at IS NULL ORDER BY alert_pk;

-- name: newest
-- The newest alerts, newest first.
SELECT alert_pk, rule, kind, subject, dag_pk, run_pk, raised_at, resolved_at, body FROM alert
ORDER BY alert_pk DESC LIMIT :limit;

-- name: states_of_runs
-- The runs that open alerts are about: state, start and end, and whether a later run of the DAG has succeeded; NULL for a deleted run.
-- The newest success is looked for once for each DAG, and not before its run with an open alert, which is the last one that failed.
WITH failing AS MATERIALIZED (SELECT r.dag_pk, min(r.run_after) AS first_at FROM alert AS a JOIN dag_run AS r ON r.run_pk = a.run_pk
    WHERE a.resolved_at IS NULL AND a.kind = 'failure' GROUP BY r.dag_pk),
succeeded AS MATERIALIZED (SELECT f.dag_pk, (SELECT n.run_after FROM dag_run AS n WHERE n.dag_pk = f.dag_pk AND n.run_after > f.first_at AND n.state = 100
    ORDER BY n.run_after DESC, n.run_pk DESC LIMIT 1) AS newest_at FROM failing AS f)
SELECT a.alert_pk, r.state, r.started_at, r.ended_at, a.kind = 'failure' AND COALESCE(s.newest_at > r.run_after, FALSE)
FROM alert AS a LEFT JOIN dag_run AS r ON r.run_pk = a.run_pk LEFT JOIN succeeded AS s ON s.dag_pk = r.dag_pk
WHERE a.resolved_at IS NULL AND a.run_pk IS NOT NULL;

-- name: dag
-- What rules need of a DAG.
SELECT dag_id, version_pk FROM dag WHERE dag_pk = :dag_pk;

-- name: run_id
-- The run id of a run.
SELECT run_id FROM dag_run WHERE run_pk = :run_pk;

-- name: running
-- Unfinished runs of DAGs that are not paused.
SELECT r.run_pk, r.dag_pk, d.dag_id, d.version_pk, r.run_id, r.started_at, r.run_after, r.clear_number, r.state, r.queued_at
FROM dag_run AS r JOIN dag AS d ON d.dag_pk = r.dag_pk
WHERE r.ended_at IS NULL AND NOT d.paused AND d.active AND +r.run_after <= :now ORDER BY r.run_pk LIMIT :limit;

-- name: last_of_group
-- The newest message of a channel about a group.
SELECT delivery_pk, uid, channel, group_key, state, created_at, due_at, tries, ended_at, error, body FROM alert_delivery
WHERE channel = :channel AND group_key = :group_key ORDER BY delivery_pk DESC LIMIT 1;

-- name: add_delivery
-- Insert a message to be sent.
INSERT INTO alert_delivery (uid, channel, group_key, state, created_at, due_at, body)
VALUES (:uid, :channel, :group_key, 'pending', :created_at, :due_at, :body);

-- name: extend_delivery
-- Add alerts to a message of which no try has begun.
UPDATE alert_delivery SET body = :body WHERE delivery_pk = :delivery_pk AND state = 'pending' AND tries = 0;

-- name: due_deliveries
-- Messages to be sent now, oldest first: at most `limit` of each channel, so that a channel with many does not hold up the others.
SELECT delivery_pk, uid, channel, group_key, state, created_at, due_at, tries, ended_at, error, body FROM alert_delivery
WHERE delivery_pk IN (SELECT delivery_pk FROM (SELECT delivery_pk, row_number() OVER (PARTITION BY channel ORDER BY delivery_pk) AS place
    FROM alert_delivery WHERE ended_at IS NULL AND state = 'pending' AND due_at <= :now) AS numbered WHERE place <= :limit)
ORDER BY delivery_pk;

-- name: next_delivery
-- When the next message is due.
SELECT min(due_at) FROM alert_delivery WHERE ended_at IS NULL AND state = 'pending';

-- name: begin_delivery
-- A try to send a message begins.
UPDATE alert_delivery SET state = 'sending', tries = tries + 1 WHERE delivery_pk = :delivery_pk AND state = 'pending';

-- name: end_delivery
-- A message was sent, or is given up.
UPDATE alert_delivery SET state = :state, ended_at = :now, error = :error WHERE delivery_pk = :delivery_pk AND ended_at IS NULL;

-- name: retry_delivery
-- A try has failed; the message is tried again later.
UPDATE alert_delivery SET state = 'pending', due_at = :due_at, error = :error WHERE delivery_pk = :delivery_pk AND ended_at IS NULL;

-- name: postpone_delivery
-- A message waits, because its channel has sent as many as it may.
UPDATE alert_delivery SET due_at = :due_at WHERE delivery_pk = :delivery_pk AND state = 'pending';

-- name: remove_delivery
-- Delete a message whose alerts another message has taken over.
DELETE FROM alert_delivery WHERE delivery_pk = :delivery_pk AND state = 'pending' AND tries = 0;

-- name: sent_since
-- The messages of a channel that were sent since an instant: their number and the first.
SELECT count(*), min(ended_at) FROM alert_delivery WHERE channel = :channel AND ended_at > :since AND state = 'sent';

-- name: release_deliveries
-- Messages that an ended monitor was sending are sent again, with the same idempotency key.
UPDATE alert_delivery SET state = 'pending' WHERE ended_at IS NULL AND state = 'sending';

-- name: newest_deliveries
-- The newest messages, newest first.
SELECT delivery_pk, uid, channel, group_key, state, created_at, due_at, tries, ended_at, error, body FROM alert_delivery
ORDER BY delivery_pk DESC LIMIT :limit;
