-- name: clock (sqlite)
-- Never run: the host's clock, which is an argument of the database, serves for SQLite.
SELECT NULL;

-- name: clock (postgresql)
-- The server's clock in microseconds, for leases only.
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- name: prove (sqlite)
-- The scheduler is not fenced. The writer is alone here, so there is nothing to lock.
SELECT 1 FROM scheduler WHERE id = :me AND NOT fenced;

-- name: prove (postgresql)
-- The scheduler is not fenced, and cannot be until this transaction ends: FOR SHARE makes the fencing UPDATE wait.
SELECT 1 FROM scheduler WHERE id = :me AND NOT fenced FOR SHARE;

-- name: add_scheduler
-- Registers one process start; again, when nobody knows whether it was stored.
INSERT INTO scheduler (id, host, started_at, beat_at) VALUES (:id, :host, :now, :now) ON CONFLICT (id) DO NOTHING;

-- name: beat_scheduler
-- The scheduler is alive, unless it was fenced.
UPDATE scheduler SET beat_at = :now WHERE id = :id AND NOT fenced;

-- name: fence_scheduler
-- Nothing more can be written in the name of this scheduler.
UPDATE scheduler SET fenced = TRUE WHERE id = :id;

-- name: silent_schedulers
-- Schedulers without a beat since an instant, not fenced yet, but for the one that asks.
SELECT id FROM scheduler WHERE NOT fenced AND beat_at < :before AND id <> :me ORDER BY id;

-- name: fence_silent
-- Fences one of them if it is still silent; waits for the end of its running transaction.
UPDATE scheduler SET fenced = TRUE WHERE id = :id AND NOT fenced AND beat_at < :before;

-- name: forget_schedulers
-- Fenced schedulers of long ago that own nothing leave the register.
DELETE FROM scheduler
WHERE fenced AND beat_at < :before AND NOT EXISTS (SELECT 1 FROM dag_group WHERE dag_group.owner = scheduler.id);

-- name: end_frozen (sqlite)
-- Never run: there is no server here, and the supervisor kills who holds the writer's ticket for too long.
SELECT NULL WHERE :ttl_s IS NULL;

-- name: end_frozen (postgresql)
-- Ends sessions that have written and then said nothing: a time-out of the server does not see those in mid-pipeline. It differs because SQLite has no server.
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE application_name = 'gnomon' AND datname = current_database() AND usename = current_user AND backend_xid IS NOT NULL
  AND wait_event = 'ClientRead' AND state_change < clock_timestamp() - make_interval(secs => :ttl_s::float8);

-- name: schedulers
-- All known schedulers, the newest first.
SELECT id, host, started_at, beat_at, fenced FROM scheduler ORDER BY started_at DESC, id;

-- name: release_groups
-- A retiring scheduler gives its groups away; whoever claims them raises the epoch.
UPDATE dag_group SET owner = NULL WHERE owner = :id;

-- name: claim_groups (sqlite)
-- Takes groups that nobody live owns. SQLite opens the list with json_each.
UPDATE dag_group SET owner = :me, epoch = epoch + 1
WHERE group_no IN (SELECT value FROM json_each(:groups))
  AND (owner IS NULL OR owner IN (SELECT id FROM scheduler WHERE fenced));

-- name: claim_groups (postgresql)
-- Takes groups that nobody live owns. PostgreSQL takes the list as an array.
UPDATE dag_group SET owner = :me, epoch = epoch + 1
WHERE group_no = ANY(:groups::bigint[])
  AND (owner IS NULL OR owner IN (SELECT id FROM scheduler WHERE fenced));

-- name: give_group
-- A live owner hands one group to another.
UPDATE dag_group SET owner = :other, epoch = epoch + 1 WHERE group_no = :group_no AND owner = :me;

-- name: owned_groups
-- The groups of one scheduler with their epochs.
SELECT group_no, epoch FROM dag_group WHERE owner = :me ORDER BY group_no;

-- name: add_worker
-- Registers one process start; again, when nobody knows whether it was stored.
INSERT INTO worker (id, host, address, slots, beat_at) VALUES (:id, :host, :address, :slots, :now) ON CONFLICT (id) DO NOTHING;

-- name: beat_worker
-- The worker is alive, unless it was declared lost.
UPDATE worker SET beat_at = :now WHERE id = :id AND NOT lost;

-- name: retire_worker
-- The worker says itself that it is gone.
UPDATE worker SET lost = TRUE WHERE id = :id;

-- name: silent_workers
-- Workers without a beat since an instant, not declared lost yet.
SELECT id FROM worker WHERE NOT lost AND beat_at < :before ORDER BY id;

-- name: lose_worker
-- Declares one of them lost if it is still silent.
UPDATE worker SET lost = TRUE WHERE id = :id AND NOT lost AND beat_at < :before;

-- name: forget_workers
-- Lost workers of long ago leave the register.
DELETE FROM worker WHERE lost AND beat_at < :before;

-- name: workers
-- All known workers.
SELECT id, host, address, slots, beat_at, lost FROM worker ORDER BY id;

-- name: live_workers
-- The workers that were not declared lost.
SELECT id, host, address, slots, beat_at, lost FROM worker WHERE NOT lost ORDER BY id;
