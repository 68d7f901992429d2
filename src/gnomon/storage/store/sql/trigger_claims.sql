-- name: pending_work
-- Whether a triggerer has triggers to end, triggers of paused DAGs, or unclaimed triggers of active DAGs, and whether it is
-- fenced. The recursion visits each DAG once, however many triggers there are.
WITH RECURSIVE mine(dag_pk) AS (
    SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me
    UNION ALL
    SELECT (SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me AND t.dag_pk > mine.dag_pk)
    FROM mine WHERE mine.dag_pk IS NOT NULL),
wanted(dag_pk) AS (
    SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.result IS NULL AND NOT t.sent
    UNION ALL
    SELECT (SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.result IS NULL AND NOT t.sent AND t.dag_pk > wanted.dag_pk)
    FROM wanted WHERE wanted.dag_pk IS NOT NULL)
SELECT EXISTS (SELECT 1 FROM trigger_end WHERE triggerer = :me AND NOT delivered OR triggerer IS NULL),
       EXISTS (SELECT 1 FROM mine JOIN dag AS d ON d.dag_pk = mine.dag_pk WHERE d.paused OR NOT d.active),
       EXISTS (SELECT 1 FROM wanted JOIN dag AS d ON d.dag_pk = wanted.dag_pk WHERE d.active AND NOT d.paused),
       EXISTS (SELECT 1 FROM triggerer WHERE id = :me AND fenced);

-- name: claim (sqlite)
-- Claim unclaimed triggers, the highest priority and then the oldest first.
-- differs: PostgreSQL locks the rows that it takes, and skips those that others hold
UPDATE trigger SET triggerer = :me, claimed_once = TRUE WHERE trigger_pk IN (
    SELECT t.trigger_pk FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk
    WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.result IS NULL AND NOT t.sent AND d.active AND NOT d.paused
      AND (:all_queues OR t.queue IS NULL OR t.queue {in :queues text})
    ORDER BY t.priority DESC, t.trigger_pk LIMIT :limit)
RETURNING trigger_pk;

-- name: claim (postgresql)
-- SKIP LOCKED: triggerers that claim at the same time do not wait for one another.
UPDATE trigger SET triggerer = :me, claimed_once = TRUE FROM (
    SELECT t.trigger_pk FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk
    WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.result IS NULL AND NOT t.sent AND d.active AND NOT d.paused
      AND (:all_queues::boolean OR t.queue IS NULL OR t.queue {in :queues text})
    ORDER BY t.priority DESC, t.trigger_pk LIMIT :limit FOR UPDATE OF t SKIP LOCKED) AS free
WHERE trigger.trigger_pk = free.trigger_pk RETURNING trigger.trigger_pk;

-- name: find_claimed
-- What a triggerer needs to run these triggers and to name them.
SELECT t.trigger_pk, t.run_pk, t.task_no, t.map_index, t.defer_seq, d.group_no, t.classpath, t.kwargs, t.queue, t.priority,
       t.created_at, d.dag_id, r.run_id, n.task_id, coalesce(i.try_number, 0), coalesce(i.seq, 0), t.dag_pk
FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk JOIN dag_run AS r ON r.run_pk = t.run_pk
     JOIN task_name AS n ON n.dag_pk = t.dag_pk AND n.task_no = t.task_no
     LEFT JOIN task_instance AS i ON i.run_pk = t.run_pk AND i.task_no = t.task_no AND i.map_index = t.map_index
WHERE t.trigger_pk {in :pks bigint} ORDER BY t.priority DESC, t.trigger_pk;

-- name: paused_dags
-- The paused DAGs of which a triggerer runs triggers. The recursion visits each DAG once, however many triggers there are.
WITH RECURSIVE mine(dag_pk) AS (
    SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me
    UNION ALL
    SELECT (SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me AND t.dag_pk > mine.dag_pk)
    FROM mine WHERE mine.dag_pk IS NOT NULL)
SELECT d.dag_pk FROM mine JOIN dag AS d ON d.dag_pk = mine.dag_pk WHERE d.paused OR NOT d.active ORDER BY d.dag_pk;

-- name: release (sqlite)
-- Release the triggers of a triggerer that belong to these DAGs.
-- differs: PostgreSQL locks the rows in one order before it changes them
UPDATE trigger SET triggerer = NULL WHERE triggerer = :me AND dag_pk {in :dag_pks bigint}
RETURNING trigger_pk;

-- name: release (postgresql)
-- Rows are locked in the order of their keys, so that no two transactions wait for each other.
UPDATE trigger SET triggerer = NULL FROM (
    SELECT trigger_pk FROM trigger WHERE triggerer = :me AND dag_pk {in :dag_pks bigint} ORDER BY trigger_pk FOR UPDATE) AS held
WHERE trigger.trigger_pk = held.trigger_pk RETURNING trigger.trigger_pk;

-- name: mark_sent (sqlite)
-- Mark events as sent, the first of each trigger and only while its task waits, and release the triggers.
-- differs: PostgreSQL locks the rows in one order before it changes them
UPDATE trigger SET sent = TRUE, triggerer = NULLIF(triggerer, :me)
WHERE trigger_pk {in :pks bigint} AND NOT sent AND result IS NULL RETURNING trigger_pk;

-- name: mark_sent (postgresql)
-- Rows are locked in the order of their keys, so that no two transactions wait for each other; a trigger that has fired belongs to its owner alone.
UPDATE trigger SET sent = TRUE, triggerer = NULLIF(triggerer, :me) FROM (
    SELECT trigger_pk FROM trigger WHERE trigger_pk {in :pks bigint} AND NOT sent AND result IS NULL ORDER BY trigger_pk FOR UPDATE) AS held
WHERE trigger.trigger_pk = held.trigger_pk RETURNING trigger.trigger_pk;

-- name: take_cancelled
-- The triggers of a triggerer that must end without on_kill; their rows are deleted as they are read.
DELETE FROM trigger_end WHERE trigger_pk IN (
    SELECT e.trigger_pk FROM trigger_end AS e WHERE e.triggerer = :me AND NOT e.on_kill ORDER BY e.trigger_pk LIMIT :limit)
RETURNING trigger_pk;

-- name: take_killed
-- The triggers of a triggerer that must end with on_kill; their rows stay until remove_killed.
UPDATE trigger_end SET delivered = TRUE WHERE trigger_pk IN (
    SELECT e.trigger_pk FROM trigger_end AS e WHERE e.triggerer = :me AND e.on_kill AND NOT e.delivered ORDER BY e.trigger_pk LIMIT :limit)
RETURNING trigger_pk;

-- name: remove_killed
-- rows: trigger_pk bigint, me text
-- Delete the rows of triggers whose on_kill was called.
DELETE FROM trigger_end {using rows} WHERE trigger_end.trigger_pk = :trigger_pk AND trigger_end.triggerer = :me;

-- name: claim_killed (sqlite)
-- Claim rows of triggers that no triggerer runs and whose on_kill is due.
-- differs: PostgreSQL locks the rows that it takes, and skips those that others hold
UPDATE trigger_end SET triggerer = :me, delivered = TRUE WHERE trigger_pk IN (
    SELECT e.trigger_pk FROM trigger_end AS e
    WHERE e.triggerer IS NULL AND (:all_queues OR e.queue IS NULL OR e.queue {in :queues text})
    ORDER BY e.trigger_pk LIMIT :limit)
RETURNING trigger_pk;

-- name: claim_killed (postgresql)
-- SKIP LOCKED: triggerers that claim at the same time do not wait for one another.
UPDATE trigger_end SET triggerer = :me, delivered = TRUE FROM (
    SELECT e.trigger_pk FROM trigger_end AS e
    WHERE e.triggerer IS NULL AND (:all_queues::boolean OR e.queue IS NULL OR e.queue {in :queues text})
    ORDER BY e.trigger_pk LIMIT :limit FOR UPDATE OF e SKIP LOCKED) AS free
WHERE trigger_end.trigger_pk = free.trigger_pk RETURNING trigger_end.trigger_pk;

-- name: find_killed
-- What a triggerer needs to call on_kill of these triggers; names of deleted runs are empty.
SELECT e.trigger_pk, e.run_pk, e.task_no, e.map_index, 0, coalesce(d.group_no, 0), e.classpath, e.kwargs, e.queue, 0,
       0, coalesce(d.dag_id, ''), coalesce(r.run_id, ''), coalesce(n.task_id, ''), coalesce(i.try_number, 0), coalesce(i.seq, 0), e.dag_pk
FROM trigger_end AS e LEFT JOIN dag AS d ON d.dag_pk = e.dag_pk LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
     LEFT JOIN task_name AS n ON n.dag_pk = e.dag_pk AND n.task_no = e.task_no
     LEFT JOIN task_instance AS i ON i.run_pk = e.run_pk AND i.task_no = e.task_no AND i.map_index = e.map_index
WHERE e.trigger_pk {in :pks bigint} ORDER BY e.trigger_pk;

-- name: count_unclaimed
-- The number of unclaimed triggers of active DAGs that are not paused, by queue.
SELECT t.queue, count(*) FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk
WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.result IS NULL AND NOT t.sent AND d.active AND NOT d.paused
GROUP BY t.queue ORDER BY t.queue;

-- name: deferral_status
-- The queue of a deferral, whether it is a timer, whether its event was sent or applied, its triggerer, its priority and its
-- key.
SELECT t.queue, t.due_at IS NOT NULL, t.result IS NOT NULL OR t.sent, t.triggerer, t.priority, t.trigger_pk
FROM trigger AS t WHERE t.run_pk = :run_pk AND t.task_no = :task_no AND t.map_index = :map_index;
