-- name: find
-- One DAG by id.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.active, d.version_pk, f.path, d.error
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk WHERE d.dag_id = :dag_id AND d.version_pk IS NOT NULL;

-- name: list
-- All DAGs by id.
SELECT d.dag_pk, d.dag_id, d.group_no, d.paused, d.active, d.version_pk, f.path, d.error
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk WHERE d.version_pk IS NOT NULL ORDER BY d.dag_id;

-- name: set_paused
-- Pauses or unpauses; what was planned under the old number is refused (OWNERSHIP.md line 29).
UPDATE dag SET paused = :paused, live_at = CASE WHEN :paused THEN live_at ELSE :at END, plan_seq = plan_seq + 1 WHERE dag_pk = :dag_pk AND paused <> :paused;

-- name: by_ids (sqlite)
-- What is known of these DAG ids. SQLite opens the list with json_each.
SELECT d.dag_id, d.dag_pk, d.file_pk, d.active, d.input_hash, v.number, v.spec_hash, v.spec, f.path, f.gone_at
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk LEFT JOIN dag_version AS v ON v.version_pk = d.version_pk
WHERE d.dag_id IN (SELECT value FROM json_each(:dag_ids));

-- name: by_ids (postgresql)
-- What is known of these DAG ids. PostgreSQL takes the list as an array.
SELECT d.dag_id, d.dag_pk, d.file_pk, d.active, d.input_hash, v.number, v.spec_hash, v.spec, f.path, f.gone_at
FROM dag AS d JOIN file AS f ON f.file_pk = d.file_pk LEFT JOIN dag_version AS v ON v.version_pk = d.version_pk
WHERE d.dag_id = ANY(:dag_ids::text[]);

-- name: of_file
-- The active DAGs of a file.
SELECT dag_pk, dag_id, group_no FROM dag WHERE file_pk = :file_pk AND active ORDER BY dag_pk;

-- name: add (sqlite)
-- rows: dag_id text, group_no smallint, file_pk bigint, input_hash text, paused boolean, live_at bigint
-- New DAGs. A batch is one row at a time here.
INSERT INTO dag (dag_id, group_no, file_pk, input_hash, paused, live_at)
VALUES (:dag_id, :group_no, :file_pk, :input_hash, :paused, :live_at);

-- name: add (postgresql)
-- rows: dag_id text, group_no smallint, file_pk bigint, input_hash text, paused boolean, live_at bigint
-- New DAGs. A batch is one statement here.
INSERT INTO dag (dag_id, group_no, file_pk, input_hash, paused, live_at)
SELECT dag_id, group_no, file_pk, input_hash, paused, live_at FROM :rows;

-- name: add_name (sqlite)
-- rows: dag_pk bigint, task_no integer, task_id text
-- Numbers for new tasks. A batch is one row at a time here.
INSERT INTO task_name (dag_pk, task_no, task_id) VALUES (:dag_pk, :task_no, :task_id);

-- name: add_name (postgresql)
-- rows: dag_pk bigint, task_no integer, task_id text
-- Numbers for new tasks. A batch is one statement here.
INSERT INTO task_name (dag_pk, task_no, task_id) SELECT dag_pk, task_no, task_id FROM :rows;

-- name: add_version (sqlite)
-- rows: dag_pk bigint, number integer, spec_hash text, spec bytea, input_hash text, created_at bigint
-- New versions. A batch is one row at a time here.
INSERT INTO dag_version (dag_pk, number, spec_hash, spec, input_hash, created_at)
VALUES (:dag_pk, :number, :spec_hash, :spec, :input_hash, :created_at);

-- name: add_version (postgresql)
-- rows: dag_pk bigint, number integer, spec_hash text, spec bytea, input_hash text, created_at bigint
-- New versions. A batch is one statement here.
INSERT INTO dag_version (dag_pk, number, spec_hash, spec, input_hash, created_at)
SELECT dag_pk, number, spec_hash, spec, input_hash, created_at FROM :rows;

-- name: reword (sqlite)
-- rows: dag_pk bigint, number integer, spec bytea
-- Versions whose texts changed and nothing that the scheduler uses. A batch is one row at a time here.
UPDATE dag_version SET spec = :spec WHERE dag_pk = :dag_pk AND number = :number;

-- name: reword (postgresql)
-- rows: dag_pk bigint, number integer, spec bytea
-- Versions whose texts changed and nothing that the scheduler uses. A batch is one statement here.
UPDATE dag_version AS v SET spec = r.spec FROM :rows WHERE v.dag_pk = r.dag_pk AND v.number = r.number;

-- name: settle (sqlite)
-- rows: dag_pk bigint, number integer, file_pk bigint, input_hash text, at bigint
-- DAGs are active, in this file, at this version; what was planned before is refused. A batch is one row at a time here.
UPDATE dag SET live_at = CASE WHEN active THEN live_at ELSE :at END, active = TRUE, file_pk = :file_pk, input_hash = :input_hash, plan_seq = plan_seq + 1,
       version_pk = (SELECT v.version_pk FROM dag_version AS v WHERE v.dag_pk = :dag_pk AND v.number = :number)
WHERE dag_pk = :dag_pk;

-- name: settle (postgresql)
-- rows: dag_pk bigint, number integer, file_pk bigint, input_hash text, at bigint
-- DAGs are active, in this file, at this version; what was planned before is refused. A batch is one statement here.
UPDATE dag SET live_at = CASE WHEN dag.active THEN dag.live_at ELSE r.at END, active = TRUE, file_pk = r.file_pk, input_hash = r.input_hash, plan_seq = plan_seq + 1,
       version_pk = v.version_pk
FROM :rows JOIN dag_version AS v ON v.dag_pk = r.dag_pk AND v.number = r.number WHERE dag.dag_pk = r.dag_pk;

-- name: deactivate (sqlite)
-- rows: dag_pk bigint
-- DAGs are in no file any more; what was planned before is refused. A batch is one row at a time here.
UPDATE dag SET active = FALSE, plan_seq = plan_seq + 1 WHERE dag_pk = :dag_pk AND active;

-- name: deactivate (postgresql)
-- rows: dag_pk bigint
-- DAGs are in no file any more; what was planned before is refused. A batch is one statement here.
UPDATE dag SET active = FALSE, plan_seq = plan_seq + 1 FROM :rows WHERE dag.dag_pk = r.dag_pk AND active;
