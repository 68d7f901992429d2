-- name: put (sqlite)
-- rows: down_run bigint, edge_no integer, up_dag text, up_at bigint, down_group smallint, up_group smallint, task_id text, state smallint, keeps smallint, rule text, since bigint, clear_number integer, note text
-- Insert or replace waits of runs that exist. SQLite runs a batch row by row.
INSERT INTO run_wait (down_run, edge_no, up_dag, up_at, down_group, up_group, task_id, state, keeps, rule, since, clear_number, note)
SELECT run_pk, :edge_no, :up_dag, :up_at, :down_group, :up_group, :task_id, :state, :keeps, :rule, :since, :clear_number, :note
FROM dag_run WHERE run_pk = :down_run
ON CONFLICT (down_run, edge_no, up_dag, up_at) DO UPDATE SET down_group = excluded.down_group, up_group = excluded.up_group,
       task_id = excluded.task_id, state = excluded.state, keeps = excluded.keeps, rule = excluded.rule, since = excluded.since,
       clear_number = excluded.clear_number, note = excluded.note;

-- name: put (postgresql)
-- rows: down_run bigint, edge_no integer, up_dag text, up_at bigint, down_group smallint, up_group smallint, task_id text, state smallint, keeps smallint, rule text, since bigint, clear_number integer, note text
-- Insert or replace waits of runs that exist. PostgreSQL runs a batch as one statement.
INSERT INTO run_wait (down_run, edge_no, up_dag, up_at, down_group, up_group, task_id, state, keeps, rule, since, clear_number, note)
SELECT r.down_run, r.edge_no, r.up_dag, r.up_at, r.down_group, r.up_group, r.task_id, r.state, r.keeps, r.rule, r.since,
       r.clear_number, r.note
FROM :rows JOIN dag_run AS d ON d.run_pk = r.down_run
ON CONFLICT (down_run, edge_no, up_dag, up_at) DO UPDATE SET down_group = excluded.down_group, up_group = excluded.up_group,
       task_id = excluded.task_id, state = excluded.state, keeps = excluded.keeps, rule = excluded.rule, since = excluded.since,
       clear_number = excluded.clear_number, note = excluded.note;

-- name: remove_edge (sqlite)
-- rows: down_run bigint, edge_no integer
-- Delete all waits of some edges of runs. SQLite runs a batch row by row.
DELETE FROM run_wait WHERE down_run = :down_run AND edge_no = :edge_no;

-- name: remove_edge (postgresql)
-- rows: down_run bigint, edge_no integer
-- Delete all waits of some edges of runs. PostgreSQL runs a batch as one statement.
DELETE FROM run_wait USING :rows WHERE run_wait.down_run = r.down_run AND run_wait.edge_no = r.edge_no;

-- name: close (sqlite)
-- rows: down_run bigint, since bigint
-- Close the open waits of some runs, which have ended. SQLite runs a batch row by row.
UPDATE run_wait SET state = 104, since = :since WHERE down_run = :down_run AND state < 100;

-- name: close (postgresql)
-- rows: down_run bigint, since bigint
-- Close the open waits of some runs, which have ended. PostgreSQL runs a batch as one statement.
UPDATE run_wait SET state = 104, since = r.since FROM :rows WHERE run_wait.down_run = r.down_run AND run_wait.state < 100;

-- name: of_runs (sqlite)
-- The waits of some runs, each a range of the primary key. SQLite reads the list with json_each.
SELECT down_run, edge_no, up_dag, up_at, down_group, up_group, task_id, state, keeps, rule, since, clear_number, note
FROM run_wait WHERE down_run IN (SELECT value FROM json_each(:run_pks)) ORDER BY down_run, edge_no, up_dag, up_at;

-- name: of_runs (postgresql)
-- The waits of some runs, each a range of the primary key. PostgreSQL takes the list as an array.
SELECT down_run, edge_no, up_dag, up_at, down_group, up_group, task_id, state, keeps, rule, since, clear_number, note
FROM run_wait WHERE down_run = ANY(:run_pks::bigint[]) ORDER BY down_run, edge_no, up_dag, up_at;

-- name: open_of_groups (sqlite)
-- Open waits for DAGs of some groups, by the partial index. SQLite reads the list with json_each.
SELECT down_run, edge_no, up_dag, down_group, task_id, keeps, up_at FROM run_wait
WHERE state < 100 AND up_group IN (SELECT value FROM json_each(:groups)) ORDER BY down_run, edge_no, up_dag, up_at;

-- name: open_of_groups (postgresql)
-- Open waits for DAGs of some groups, by the partial index. PostgreSQL takes the list as an array.
SELECT down_run, edge_no, up_dag, down_group, task_id, keeps, up_at FROM run_wait
WHERE state < 100 AND up_group = ANY(:groups::bigint[]) ORDER BY down_run, edge_no, up_dag, up_at;

-- name: open_on_slot
-- Waits for a slot that still count: of queued runs, and of tasks of running ones. 103: released, 104: closed.
SELECT w.down_run, w.edge_no, w.up_dag, w.down_group, w.task_id, w.keeps, w.up_at
FROM run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run
       LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
WHERE w.up_dag = :dag_id AND w.up_at = :slot AND w.state NOT IN (103, 104)
      AND (r.state = 1 OR r.state = 2 AND e.task_id IS NOT NULL)
ORDER BY w.down_run, w.edge_no;

-- name: waiting_runs (sqlite)
-- The runs that `open_on_slot` finds for some slots, by their ids; `place`: of the slot in the lists. SQLite reads the lists with json_each.
SELECT v.place, v.dag_id, v.run_id FROM (
    SELECT u.*, row_number() OVER (PARTITION BY u.place ORDER BY u.dag_id, u.run_id) AS rank FROM (
        SELECT DISTINCT k.key AS place, d.dag_id, r.run_id
        FROM json_each(:dag_ids) AS k CROSS JOIN json_each(:slots) AS s ON s.key = k.key
             CROSS JOIN run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run JOIN dag AS d ON d.dag_pk = r.dag_pk
             LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
        WHERE w.up_dag = k.value AND w.up_at = s.value AND w.state NOT IN (103, 104)
              AND (r.state = 1 OR r.state = 2 AND e.task_id IS NOT NULL)
    ) AS u
) AS v WHERE v.rank <= :most ORDER BY v.place, v.rank;

-- name: waiting_runs (postgresql)
-- The runs that `open_on_slot` finds for some slots, by their ids; `place`: of the slot in the lists. PostgreSQL takes the lists as arrays.
SELECT v.place, v.dag_id, v.run_id FROM (
    SELECT u.*, row_number() OVER (PARTITION BY u.place ORDER BY u.dag_id, u.run_id) AS rank FROM (
        SELECT DISTINCT k.place - 1 AS place, d.dag_id, r.run_id
        FROM unnest(:dag_ids::text[], :slots::bigint[]) WITH ORDINALITY AS k (up_dag, up_at, place)
             CROSS JOIN run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run JOIN dag AS d ON d.dag_pk = r.dag_pk
             LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
        WHERE w.up_dag = k.up_dag AND w.up_at = k.up_at AND w.state NOT IN (103, 104)
              AND (r.state = 1 OR r.state = 2 AND e.task_id IS NOT NULL)
    ) AS u
) AS v WHERE v.rank <= :most ORDER BY v.place, v.rank;

-- name: downstream_runs (sqlite)
-- Runs of other DAGs that waited for some slots and are not queued any more. SQLite reads the list with json_each.
SELECT DISTINCT r.run_pk, r.dag_pk, d.dag_id, r.run_id, r.group_no, e.task_id,
       CASE WHEN r.run_type IN ('scheduled', 'backfill') THEN r.run_after ELSE r.stands_for END
FROM run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run JOIN dag AS d ON d.dag_pk = r.dag_pk
       LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
WHERE w.up_dag = :dag_id AND w.up_at IN (SELECT value FROM json_each(:slots)) AND d.dag_id <> :dag_id AND r.state <> 1
ORDER BY d.dag_id, r.run_pk, e.task_id NULLS FIRST;

-- name: downstream_runs (postgresql)
-- Runs of other DAGs that waited for some slots and are not queued any more. PostgreSQL takes the list as an array.
SELECT DISTINCT r.run_pk, r.dag_pk, d.dag_id, r.run_id, r.group_no, e.task_id,
       CASE WHEN r.run_type IN ('scheduled', 'backfill') THEN r.run_after ELSE r.stands_for END
FROM run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run JOIN dag AS d ON d.dag_pk = r.dag_pk
       LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
WHERE w.up_dag = :dag_id AND w.up_at = ANY(:slots::bigint[]) AND d.dag_id <> :dag_id AND r.state <> 1
ORDER BY d.dag_id, r.run_pk, e.task_id NULLS FIRST;
