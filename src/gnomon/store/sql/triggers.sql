-- name: news
-- Whether there is a note for me or for anybody, whether I run triggers of a paused DAG, whether nobody runs one of a DAG that is let run, and whether I was fenced. From DAG to DAG, however many triggers there are.
WITH RECURSIVE mine(dag_pk) AS (
    SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me
    UNION ALL
    SELECT (SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me AND t.dag_pk > mine.dag_pk)
    FROM mine WHERE mine.dag_pk IS NOT NULL),
wanted(dag_pk) AS (
    SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.fired IS NULL AND NOT t.sent
    UNION ALL
    SELECT (SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.fired IS NULL AND NOT t.sent AND t.dag_pk > wanted.dag_pk)
    FROM wanted WHERE wanted.dag_pk IS NOT NULL)
SELECT EXISTS (SELECT 1 FROM trigger_end WHERE triggerer = :me AND NOT told OR triggerer IS NULL),
       EXISTS (SELECT 1 FROM mine JOIN dag AS d ON d.dag_pk = mine.dag_pk WHERE d.paused OR NOT d.active),
       EXISTS (SELECT 1 FROM wanted JOIN dag AS d ON d.dag_pk = wanted.dag_pk WHERE d.active AND NOT d.paused),
       EXISTS (SELECT 1 FROM triggerer WHERE id = :me AND fenced);

-- name: claim (sqlite)
-- Triggers that nobody runs are mine, the most urgent and then the oldest first. SQLite opens the list with json_each.
UPDATE trigger SET triggerer = :me, begun = TRUE WHERE trigger_pk IN (
    SELECT t.trigger_pk FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk
    WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.fired IS NULL AND NOT t.sent AND d.active AND NOT d.paused
      AND (:every OR t.queue IS NULL OR t.queue IN (SELECT value FROM json_each(:queues)))
    ORDER BY t.priority DESC, t.trigger_pk LIMIT :most)
RETURNING trigger_pk;

-- name: claim (postgresql)
-- Triggers that nobody runs are mine, the most urgent and then the oldest first. SKIP LOCKED: two that claim at once wait for nothing.
UPDATE trigger SET triggerer = :me, begun = TRUE FROM (
    SELECT t.trigger_pk FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk
    WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.fired IS NULL AND NOT t.sent AND d.active AND NOT d.paused
      AND (:every::boolean OR t.queue IS NULL OR t.queue = ANY(:queues::text[]))
    ORDER BY t.priority DESC, t.trigger_pk LIMIT :most FOR UPDATE OF t SKIP LOCKED) AS free
WHERE trigger.trigger_pk = free.trigger_pk RETURNING trigger.trigger_pk;

-- name: claimed (sqlite)
-- What somebody needs to run these triggers, and to name them. SQLite opens the list with json_each.
SELECT t.trigger_pk, t.run_pk, t.task_no, t.map_index, t.defer_seq, d.group_no, t.classpath, t.kwargs, t.queue, t.priority,
       t.created_at, d.dag_id, r.run_id, n.task_id, coalesce(i.try_number, 0), coalesce(i.seq, 0), t.dag_pk
FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk JOIN dag_run AS r ON r.run_pk = t.run_pk
     JOIN task_name AS n ON n.dag_pk = t.dag_pk AND n.task_no = t.task_no
     LEFT JOIN task_instance AS i ON i.run_pk = t.run_pk AND i.task_no = t.task_no AND i.map_index = t.map_index
WHERE t.trigger_pk IN (SELECT value FROM json_each(:pks)) ORDER BY t.priority DESC, t.trigger_pk;

-- name: claimed (postgresql)
-- What somebody needs to run these triggers, and to name them. PostgreSQL takes the list as an array.
SELECT t.trigger_pk, t.run_pk, t.task_no, t.map_index, t.defer_seq, d.group_no, t.classpath, t.kwargs, t.queue, t.priority,
       t.created_at, d.dag_id, r.run_id, n.task_id, coalesce(i.try_number, 0), coalesce(i.seq, 0), t.dag_pk
FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk JOIN dag_run AS r ON r.run_pk = t.run_pk
     JOIN task_name AS n ON n.dag_pk = t.dag_pk AND n.task_no = t.task_no
     LEFT JOIN task_instance AS i ON i.run_pk = t.run_pk AND i.task_no = t.task_no AND i.map_index = t.map_index
WHERE t.trigger_pk = ANY(:pks::bigint[]) ORDER BY t.priority DESC, t.trigger_pk;

-- name: paused_dags
-- The paused DAGs that I run triggers of: from DAG to DAG, however many triggers I run.
WITH RECURSIVE mine(dag_pk) AS (
    SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me
    UNION ALL
    SELECT (SELECT min(dag_pk) FROM trigger AS t WHERE t.triggerer = :me AND t.dag_pk > mine.dag_pk)
    FROM mine WHERE mine.dag_pk IS NOT NULL)
SELECT d.dag_pk FROM mine JOIN dag AS d ON d.dag_pk = mine.dag_pk WHERE d.paused OR NOT d.active ORDER BY d.dag_pk;

-- name: suspend (sqlite)
-- Triggers of mine of these DAGs are nobody's. SQLite opens the list with json_each.
UPDATE trigger SET triggerer = NULL WHERE triggerer = :me AND dag_pk IN (SELECT value FROM json_each(:dag_pks))
RETURNING trigger_pk;

-- name: suspend (postgresql)
-- Triggers of mine of these DAGs are nobody's. Locked in their order, as all that several of us lock.
UPDATE trigger SET triggerer = NULL FROM (
    SELECT trigger_pk FROM trigger WHERE triggerer = :me AND dag_pk = ANY(:dag_pks::bigint[]) ORDER BY trigger_pk FOR UPDATE) AS held
WHERE trigger.trigger_pk = held.trigger_pk RETURNING trigger.trigger_pk;

-- name: sent (sqlite)
-- Events of these triggers are on the way, the first of each unless the wait is over: nobody runs mine again. SQLite opens the list with json_each.
UPDATE trigger SET sent = TRUE, triggerer = NULLIF(triggerer, :me)
WHERE trigger_pk IN (SELECT value FROM json_each(:pks)) AND NOT sent AND fired IS NULL RETURNING trigger_pk;

-- name: sent (postgresql)
-- Events of these triggers are on the way, the first of each unless the wait is over: nobody runs mine again. Locked in their order, as all that several of us lock; what has fired is its owner's alone.
UPDATE trigger SET sent = TRUE, triggerer = NULLIF(triggerer, :me) FROM (
    SELECT trigger_pk FROM trigger WHERE trigger_pk = ANY(:pks::bigint[]) AND NOT sent AND fired IS NULL ORDER BY trigger_pk FOR UPDATE) AS held
WHERE trigger.trigger_pk = held.trigger_pk RETURNING trigger.trigger_pk;

-- name: ended
-- Triggers that I run and whose task waits no longer, and that need not hear of it; these notes go as they are read.
DELETE FROM trigger_end WHERE trigger_pk IN (
    SELECT e.trigger_pk FROM trigger_end AS e WHERE e.triggerer = :me AND NOT e.on_kill ORDER BY e.trigger_pk LIMIT :most)
RETURNING trigger_pk;

-- name: killed
-- Triggers that I run and whose wait somebody has ended; these notes stay until `closed`.
UPDATE trigger_end SET told = TRUE WHERE trigger_pk IN (
    SELECT e.trigger_pk FROM trigger_end AS e WHERE e.triggerer = :me AND e.on_kill AND NOT e.told ORDER BY e.trigger_pk LIMIT :most)
RETURNING trigger_pk;

-- name: closed (sqlite)
-- rows: trigger_pk bigint, me text
-- Triggers of mine that had to hear on_kill are gone. A batch is one row at a time here.
DELETE FROM trigger_end WHERE trigger_pk = :trigger_pk AND triggerer = :me;

-- name: closed (postgresql)
-- rows: trigger_pk bigint, me text
-- Triggers of mine that had to hear on_kill are gone. A batch is one statement here.
DELETE FROM trigger_end USING :rows WHERE trigger_end.trigger_pk = r.trigger_pk AND trigger_end.triggerer = r.me;

-- name: adopt (sqlite)
-- Notes of triggers that are to hear on_kill and that nobody runs are mine. SQLite opens the list with json_each.
UPDATE trigger_end SET triggerer = :me, told = TRUE WHERE trigger_pk IN (
    SELECT e.trigger_pk FROM trigger_end AS e
    WHERE e.triggerer IS NULL AND (:every OR e.queue IS NULL OR e.queue IN (SELECT value FROM json_each(:queues)))
    ORDER BY e.trigger_pk LIMIT :most)
RETURNING trigger_pk;

-- name: adopt (postgresql)
-- Notes of triggers that are to hear on_kill and that nobody runs are mine. SKIP LOCKED: two that adopt at once wait for nothing.
UPDATE trigger_end SET triggerer = :me, told = TRUE FROM (
    SELECT e.trigger_pk FROM trigger_end AS e
    WHERE e.triggerer IS NULL AND (:every::boolean OR e.queue IS NULL OR e.queue = ANY(:queues::text[]))
    ORDER BY e.trigger_pk LIMIT :most FOR UPDATE OF e SKIP LOCKED) AS free
WHERE trigger_end.trigger_pk = free.trigger_pk RETURNING trigger_end.trigger_pk;

-- name: adopted (sqlite)
-- What somebody needs to call on_kill of these triggers; what was deleted with them has no name. SQLite opens the list with json_each.
SELECT e.trigger_pk, e.run_pk, e.task_no, e.map_index, 0, coalesce(d.group_no, 0), e.classpath, e.kwargs, e.queue, 0,
       0, coalesce(d.dag_id, ''), coalesce(r.run_id, ''), coalesce(n.task_id, ''), coalesce(i.try_number, 0), coalesce(i.seq, 0), e.dag_pk
FROM trigger_end AS e LEFT JOIN dag AS d ON d.dag_pk = e.dag_pk LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
     LEFT JOIN task_name AS n ON n.dag_pk = e.dag_pk AND n.task_no = e.task_no
     LEFT JOIN task_instance AS i ON i.run_pk = e.run_pk AND i.task_no = e.task_no AND i.map_index = e.map_index
WHERE e.trigger_pk IN (SELECT value FROM json_each(:pks)) ORDER BY e.trigger_pk;

-- name: adopted (postgresql)
-- What somebody needs to call on_kill of these triggers; what was deleted with them has no name. PostgreSQL takes the list as an array.
SELECT e.trigger_pk, e.run_pk, e.task_no, e.map_index, 0, coalesce(d.group_no, 0), e.classpath, e.kwargs, e.queue, 0,
       0, coalesce(d.dag_id, ''), coalesce(r.run_id, ''), coalesce(n.task_id, ''), coalesce(i.try_number, 0), coalesce(i.seq, 0), e.dag_pk
FROM trigger_end AS e LEFT JOIN dag AS d ON d.dag_pk = e.dag_pk LEFT JOIN dag_run AS r ON r.run_pk = e.run_pk
     LEFT JOIN task_name AS n ON n.dag_pk = e.dag_pk AND n.task_no = e.task_no
     LEFT JOIN task_instance AS i ON i.run_pk = e.run_pk AND i.task_no = e.task_no AND i.map_index = e.map_index
WHERE e.trigger_pk = ANY(:pks::bigint[]) ORDER BY e.trigger_pk;

-- name: unclaimed
-- How many triggers of DAGs that are let run nobody runs, by queue.
SELECT t.queue, count(*) FROM trigger AS t JOIN dag AS d ON d.dag_pk = t.dag_pk
WHERE t.triggerer IS NULL AND t.due_at IS NULL AND t.fired IS NULL AND NOT t.sent AND d.active AND NOT d.paused
GROUP BY t.queue ORDER BY t.queue;

-- name: standing
-- Where one deferral stands: its queue, whether the owner keeps the time itself, whether its event came or is on the way, and who runs it.
SELECT t.queue, t.due_at IS NOT NULL, t.fired IS NOT NULL OR t.sent, t.triggerer, t.priority, t.trigger_pk
FROM trigger AS t WHERE t.run_pk = :run_pk AND t.task_no = :task_no AND t.map_index = :map_index;
