-- name: clock (sqlite)
-- The server's clock in microseconds, for leases only. Never executed on SQLite: the host's clock, an argument of the database, takes its place.
-- differs: never executed on SQLite
SELECT NULL;

-- name: clock (postgresql)
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: prove
-- Prove that the scheduler is not fenced (FENCE in docs/contributing/ownership.md). FOR SHARE makes the UPDATE that fences it wait until this
-- transaction ends.
SELECT 1 FROM scheduler WHERE id = :me AND NOT fenced {lock FOR SHARE};

-- name: add_scheduler
-- Insert one process start; repeated when the outcome of a commit was unknown.
INSERT INTO scheduler (id, host, started_at, beat_at) VALUES (:id, :host, :now, :now) ON CONFLICT (id) DO NOTHING;

-- name: beat_scheduler
-- Heartbeat of a scheduler, unless it is fenced.
UPDATE scheduler SET beat_at = :now WHERE id = :id AND NOT fenced;

-- name: fence_scheduler
-- Fence a scheduler: it can write nothing more.
UPDATE scheduler SET fenced = TRUE WHERE id = :id;

-- name: lock_silent_schedulers (sqlite)
-- Lock the rows that a heartbeat may write, in one order. Never executed on SQLite, which has one writer at a time.
-- differs: never executed on SQLite
SELECT NULL WHERE :me IS NULL AND :before IS NULL;

-- name: lock_silent_schedulers (postgresql)
-- Lock the rows that a heartbeat may write, in one order: two schedulers that were silent and fence each other would be a deadlock.
SELECT id FROM scheduler WHERE id = :me OR (NOT fenced AND beat_at < :before) ORDER BY id FOR NO KEY UPDATE;

-- name: silent_schedulers
-- Schedulers without a heartbeat since an instant that are not fenced, except the caller.
SELECT id FROM scheduler WHERE NOT fenced AND beat_at < :before AND id <> :me ORDER BY id;

-- name: fence_silent_scheduler
-- Fence a scheduler if it is still silent; waits for the end of its running transaction.
UPDATE scheduler SET fenced = TRUE WHERE id = :id AND NOT fenced AND beat_at < :before;

-- name: remove_old_schedulers
-- Delete schedulers that were fenced long ago and own no group.
DELETE FROM scheduler
WHERE fenced AND beat_at < :before AND NOT EXISTS (SELECT 1 FROM dag_group WHERE dag_group.owner = scheduler.id);

-- name: terminate_frozen_sessions (sqlite)
-- Terminate sessions that have written and then sent nothing: the server's time-out does not see sessions in the middle of a pipeline. Never executed
-- on SQLite, which has no server: the supervisor kills a process that holds the write lock too long.
-- differs: never executed on SQLite
SELECT NULL WHERE :ttl_s IS NULL;

-- name: terminate_frozen_sessions (postgresql)
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = 'gnomon' AND datname = current_database() AND usename = current_user AND backend_xid IS NOT NULL
  AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - make_interval(secs => :ttl_s::float8);

-- name: schedulers
-- All stored schedulers, newest first.
SELECT id, host, started_at, beat_at, fenced FROM scheduler ORDER BY started_at DESC, id;

-- name: release_groups
-- A scheduler that stops gives up its groups; the next owner raises the epoch.
UPDATE dag_group SET owner = NULL WHERE owner = :id;

-- name: claim_groups
-- Take groups without a live owner (TAKE_OVER in docs/contributing/ownership.md).
UPDATE dag_group SET owner = :me, epoch = epoch + 1
WHERE group_no {in :groups bigint}
  AND (owner IS NULL OR owner IN (SELECT id FROM scheduler WHERE fenced));

-- name: live_schedulers
-- The schedulers that are not fenced, with their hosts, and whether a worker of their host lives that only they reach (not one of the execution API).
SELECT id, host, EXISTS (SELECT 1 FROM worker WHERE worker.host = scheduler.host AND worker.address NOT LIKE 'execution-api%' AND NOT worker.lost)
FROM scheduler WHERE NOT fenced ORDER BY id;

-- name: free_groups
-- The groups without a live owner.
SELECT group_no FROM dag_group WHERE owner IS NULL OR owner IN (SELECT id FROM scheduler WHERE fenced) ORDER BY group_no;

-- name: give_up_groups
-- A live owner gives groups up; the next owner raises the epoch.
UPDATE dag_group SET owner = NULL WHERE owner = :me AND group_no {in :groups bigint};

-- name: transfer_group
-- A live owner gives one group to another scheduler.
UPDATE dag_group SET owner = :other, epoch = epoch + 1 WHERE group_no = :group_no AND owner = :me;

-- name: owned_groups
-- The groups of one scheduler with their epochs.
SELECT group_no, epoch FROM dag_group WHERE owner = :me ORDER BY group_no;

-- name: add_worker
-- Insert one process start; repeated when the outcome of a commit was unknown.
INSERT INTO worker (id, host, address, slots, beat_at, queues) VALUES (:id, :host, :address, :slots, :now, :queues) ON CONFLICT (id) DO NOTHING;

-- name: beat_worker
-- Heartbeat of a worker, unless it was declared lost.
UPDATE worker SET beat_at = :now WHERE id = :id AND NOT lost;

-- name: retire_worker
-- A worker that ends reports itself lost.
UPDATE worker SET lost = TRUE WHERE id = :id;

-- name: silent_workers
-- Workers without a heartbeat since an instant that were not declared lost. Api-servers take the heartbeats of workers of the execution API: the silence
-- of such a worker counts only if an api-server has been up for as long, without a gap.
SELECT id FROM worker WHERE NOT lost AND beat_at < :before
  AND (address NOT LIKE 'execution-api%' OR EXISTS (SELECT 1 FROM api_server AS a WHERE a.up_since < :before AND a.beat_at >= :api_before))
ORDER BY id;

-- name: mark_worker_lost
-- Declare a worker lost if it is still silent, and was not silent because of the api-servers.
UPDATE worker SET lost = TRUE WHERE id = :id AND NOT lost AND beat_at < :before
  AND (address NOT LIKE 'execution-api%' OR EXISTS (SELECT 1 FROM api_server AS a WHERE a.up_since < :before AND a.beat_at >= :api_before));

-- name: remove_old_workers
-- Delete workers that were lost long ago.
DELETE FROM worker WHERE lost AND beat_at < :before;

-- name: workers
-- All stored workers.
SELECT id, host, address, slots, beat_at, lost, queues FROM worker ORDER BY id;

-- name: worker
-- One stored worker.
SELECT id, host, address, slots, beat_at, lost, queues FROM worker WHERE id = :id;

-- name: live_workers
-- The workers that were not declared lost.
SELECT id, host, address, slots, beat_at, lost, queues FROM worker WHERE NOT lost ORDER BY id;

-- name: beat_dag_processor
-- Heartbeat of a dag-processor; the first one inserts its row.
INSERT INTO dag_processor (id, host, beat_at) VALUES (:id, :host, :now)
ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at;

-- name: retire_dag_processor
-- Delete a dag-processor that has ended.
DELETE FROM dag_processor WHERE id = :id;

-- name: remove_old_dag_processors
-- Delete dag-processors without a heartbeat for a long time.
DELETE FROM dag_processor WHERE beat_at < :before;

-- name: dag_processors
-- All stored dag-processors, the newest heartbeat first.
SELECT id, host, beat_at FROM dag_processor ORDER BY beat_at DESC, id;

-- name: beat_api_server
-- Heartbeat of an api-server; the first one inserts its row. After a gap the api-server counts as one that has just begun.
INSERT INTO api_server (id, host, up_since, beat_at) VALUES (:id, :host, :now, :now)
ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at,
  up_since = CASE WHEN api_server.beat_at < :before THEN excluded.up_since ELSE api_server.up_since END;

-- name: retire_api_server
-- Delete an api-server that has ended.
DELETE FROM api_server WHERE id = :id;

-- name: remove_old_api_servers
-- Delete api-servers without a heartbeat for a long time.
DELETE FROM api_server WHERE beat_at < :before;

-- name: api_servers
-- All stored api-servers, the newest heartbeat first.
SELECT id, host, up_since, beat_at FROM api_server ORDER BY beat_at DESC, id;
