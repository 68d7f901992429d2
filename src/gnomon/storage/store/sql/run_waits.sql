-- name: put
-- rows: down_run bigint, edge_no integer, up_dag text, up_at bigint, down_group smallint, up_group smallint, task_id text, state smallint, keeps smallint, rule text, since bigint, clear_number integer, note text
-- Insert or replace waits of runs that exist.
INSERT INTO run_wait (down_run, edge_no, up_dag, up_at, down_group, up_group, task_id, state, keeps, rule, since, clear_number, note)
SELECT :down_run, :edge_no, :up_dag, :up_at, :down_group, :up_group, :task_id, :state, :keeps, :rule, :since,
       :clear_number, :note
FROM {rows,} dag_run AS d WHERE d.run_pk = :down_run
ON CONFLICT (down_run, edge_no, up_dag, up_at) DO UPDATE SET down_group = excluded.down_group, up_group = excluded.up_group,
       task_id = excluded.task_id, state = excluded.state, keeps = excluded.keeps, rule = excluded.rule, since = excluded.since,
       clear_number = excluded.clear_number, note = excluded.note;

-- name: remove_edge
-- rows: down_run bigint, edge_no integer
-- Delete all waits of some edges of runs.
DELETE FROM run_wait {using rows} WHERE run_wait.down_run = :down_run AND run_wait.edge_no = :edge_no;

-- name: close
-- rows: down_run bigint, since bigint
-- Close the open waits of some runs, which have ended.
UPDATE run_wait SET state = 104, since = :since {from rows} WHERE run_wait.down_run = :down_run AND run_wait.state < 100;

-- name: of_runs
-- The waits of some runs, each a range of the primary key.
SELECT down_run, edge_no, up_dag, up_at, down_group, up_group, task_id, state, keeps, rule, since, clear_number, note
FROM run_wait WHERE down_run {in :run_pks bigint} ORDER BY down_run, edge_no, up_dag, up_at;

-- name: open_of_groups
-- Open waits for DAGs of some groups, by the partial index.
SELECT down_run, edge_no, up_dag, down_group, task_id, keeps, up_at FROM run_wait
WHERE state < 100 AND up_group {in :groups bigint} ORDER BY down_run, edge_no, up_dag, up_at;

-- name: open_on_slot
-- Waits for a slot that still count: of queued runs, and of tasks of running ones. 103: released, 104: closed.
SELECT w.down_run, w.edge_no, w.up_dag, w.down_group, w.task_id, w.keeps, w.up_at
FROM run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run
       LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
WHERE w.up_dag = :dag_id AND w.up_at = :slot AND w.state NOT IN (103, 104)
      AND (r.state = 1 OR r.state = 2 AND e.task_id IS NOT NULL)
ORDER BY w.down_run, w.edge_no;

-- name: waiting_runs (sqlite)
-- The runs that `open_on_slot` finds for some slots, by their ids; `place`: of the slot in the lists.
-- differs: functions that make a table of two lists
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

-- name: downstream_runs
-- Runs of other DAGs that waited for some slots and are not queued any more.
SELECT DISTINCT r.run_pk, r.dag_pk, d.dag_id, r.run_id, r.group_no, e.task_id,
       CASE WHEN r.run_type IN ('scheduled', 'backfill') THEN r.run_after ELSE r.stands_for END
FROM run_wait AS w JOIN dag_run AS r ON r.run_pk = w.down_run JOIN dag AS d ON d.dag_pk = r.dag_pk
       LEFT JOIN dag_edge AS e ON e.dag_pk = r.dag_pk AND e.edge_no = w.edge_no
WHERE w.up_dag = :dag_id AND w.up_at {in :slots bigint} AND d.dag_id <> :dag_id AND r.state <> 1
ORDER BY d.dag_id, r.run_pk, e.task_id NULLS FIRST;
