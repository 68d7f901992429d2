-- name: offer
-- rows: attempt text, executor text, group_no smallint, run_pk bigint, task_no integer, map_index integer, queue text, body text, offered_at bigint
-- Insert submitted attempts; one that is stored already stays as it is.
INSERT INTO remote_attempt (attempt, executor, group_no, run_pk, task_no, map_index, queue, body, offered_at)
{values :attempt, :executor, :group_no, :run_pk, :task_no, :map_index, :queue, :body, :offered_at}
ON CONFLICT (attempt) DO NOTHING;

-- name: mark_published (sqlite)
-- rows: attempt text, at bigint
-- Record that messages were given to the broker.
-- differs: PostgreSQL locks the rows that it takes, and skips those that others hold
UPDATE remote_attempt SET published_at = :at WHERE attempt = :attempt;

-- name: mark_published (postgresql)
-- rows: attempt text, at bigint
-- Leaves out rows that a worker is claiming: two batches that wait for each other's rows would be a deadlock.
UPDATE remote_attempt SET published_at = f.at
FROM (SELECT a.attempt, r.at FROM remote_attempt AS a JOIN {rows} ON a.attempt = r.attempt ORDER BY a.attempt FOR UPDATE OF a SKIP LOCKED) AS f WHERE remote_attempt.attempt = f.attempt;

-- name: remove
-- rows: attempt text
-- Delete attempts whose result the owner has.
DELETE FROM remote_attempt {using rows} WHERE remote_attempt.attempt = :attempt;

-- name: cancel
-- Record that an attempt is to end.
UPDATE remote_attempt SET cancel_reason = :reason, cancel_grace_s = :grace_s WHERE attempt = :attempt;

-- name: claim
-- A worker claims an attempt that no other worker has claimed. A repeated claim of the same worker succeeds, because its first answer may be lost.
UPDATE remote_attempt SET worker = :worker, claimed_at = COALESCE(claimed_at, :at) WHERE attempt = :attempt AND (worker IS NULL OR worker = :worker) AND cancel_reason IS NULL AND lost_reason IS NULL
RETURNING run_pk, task_no, map_index, body;

-- name: is_live
-- A row when the attempt is the one that its owner waits for.
SELECT 1 FROM task_instance WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND attempt = :attempt
UNION ALL SELECT 1 FROM run_callback WHERE run_pk = :run_pk AND attempt = :attempt LIMIT 1;

-- name: release
-- Undo the claim of an attempt that its worker does not hold and has not entered: it gets another message.
UPDATE remote_attempt SET worker = NULL, claimed_at = NULL, published_at = NULL WHERE attempt = :attempt AND worker = :worker AND entered_at IS NULL;

-- name: of_claimed
-- The body of an attempt that this worker has claimed.
SELECT body FROM remote_attempt WHERE attempt = :attempt AND worker = :worker;

-- name: enter
-- Record that author code was entered.
UPDATE remote_attempt SET entered_at = :at WHERE attempt = :attempt AND worker = :worker AND entered_at IS NULL RETURNING group_no;

-- name: finish
-- Delete an attempt of this worker together with the mail that holds its result.
DELETE FROM remote_attempt WHERE attempt = :attempt AND worker = :worker RETURNING group_no, run_pk, task_no, map_index;

-- name: claim_batch (sqlite)
-- As `claim`, for several attempts; a row for each that the worker has now.
-- differs: PostgreSQL locks the rows in one order before it changes them
UPDATE remote_attempt SET worker = :worker, claimed_at = COALESCE(claimed_at, :at) WHERE attempt {in :attempts text} AND (worker IS NULL OR worker = :worker) AND cancel_reason IS NULL AND lost_reason IS NULL
RETURNING attempt, body;

-- name: claim_batch (postgresql)
-- Locks in one order: two workers may have messages about the same attempts.
UPDATE remote_attempt SET worker = :worker, claimed_at = COALESCE(claimed_at, :at) WHERE attempt IN (SELECT a.attempt FROM remote_attempt AS a WHERE a.attempt {in :attempts text} ORDER BY a.attempt FOR UPDATE)
  AND (worker IS NULL OR worker = :worker) AND cancel_reason IS NULL AND lost_reason IS NULL
RETURNING attempt, body;

-- name: live_batch
-- Of several attempts, those that their owners wait for.
SELECT a.attempt FROM remote_attempt AS a WHERE a.attempt {in :attempts text}
  AND (EXISTS (SELECT 1 FROM task_instance AS i WHERE i.run_pk = a.run_pk AND i.task_no = a.task_no AND i.map_index = a.map_index AND i.attempt = a.attempt)
    OR EXISTS (SELECT 1 FROM run_callback AS c WHERE c.run_pk = a.run_pk AND c.attempt = a.attempt));

-- name: finish_batch
-- As `finish`, for several attempts.
DELETE FROM remote_attempt WHERE attempt {in :attempts text} AND worker = :worker RETURNING attempt, group_no, run_pk, task_no, map_index;

-- name: claiming_workers
-- The worker of each claimed attempt.
SELECT attempt, worker FROM remote_attempt WHERE worker IS NOT NULL;

-- name: of_worker
-- The attempts that a worker has claimed.
SELECT attempt, cancel_reason, cancel_grace_s, claimed_at, entered_at, group_no, run_pk, task_no, map_index FROM remote_attempt WHERE worker = :worker ORDER BY attempt;

-- name: held
-- The attempts of some groups.
SELECT attempt, entered_at FROM remote_attempt WHERE executor = :executor AND group_no {in :groups bigint} ORDER BY attempt;

-- name: given_up
-- Attempts without a live worker: their worker or their pod is lost, or they were cancelled before a worker claimed them.
SELECT a.attempt, a.group_no, a.run_pk, a.task_no, a.map_index, a.worker, w.host, a.entered_at, a.cancel_reason, a.lost_reason, a.costs_try
FROM remote_attempt AS a LEFT JOIN worker AS w ON w.id = a.worker
WHERE a.executor = :executor AND ((a.worker IS NULL AND (a.cancel_reason IS NOT NULL OR a.lost_reason IS NOT NULL)) OR (a.worker IS NOT NULL AND (w.id IS NULL OR w.lost)))
ORDER BY a.attempt;

-- name: unclaimed
-- Attempts that no worker has claimed and whose last message is older than an instant, the oldest first; those without a message that were submitted until another
-- instant; and those whose message a lost worker may have fetched, which was sent before the worker was declared lost. A message that is sent after that is not such a one.
SELECT attempt, queue, group_no FROM remote_attempt
WHERE executor = :executor AND worker IS NULL AND cancel_reason IS NULL AND lost_reason IS NULL AND (published_at < :before OR (published_at IS NULL AND offered_at <= :unsent_before)
  OR published_at < (SELECT MAX(w.beat_at) + :ttl FROM worker AS w WHERE w.lost AND w.queues IS NOT NULL AND w.beat_at + :ttl <= :now)) ORDER BY offered_at LIMIT :limit;

-- name: waiting_messages
-- The attempts of an executor that no worker has claimed, and when their last message was sent.
SELECT attempt, queue, published_at FROM remote_attempt WHERE executor = :executor AND worker IS NULL;

-- name: lose
-- Record that the process that was to run an attempt has ended without a result, for a reason. The worker, which cannot report it any more, is null for an unclaimed one.
UPDATE remote_attempt SET lost_reason = :reason, costs_try = :costs_try, wait_reason = NULL WHERE attempt = :attempt AND lost_reason IS NULL RETURNING worker;

-- name: note_wait
-- Record why no worker has claimed an attempt yet.
UPDATE remote_attempt SET wait_reason = :reason WHERE attempt = :attempt AND worker IS NULL;

-- name: wait_of_task
-- Why the attempt of a task instance is not claimed yet.
SELECT wait_reason FROM remote_attempt WHERE run_pk = :run_pk AND task_no = :task_no AND map_index = :map_index AND worker IS NULL AND wait_reason IS NOT NULL
ORDER BY offered_at DESC LIMIT 1;

-- name: body
-- The body of an attempt.
SELECT body FROM remote_attempt WHERE attempt = :attempt;

-- name: ids
-- The attempts of an executor.
SELECT attempt FROM remote_attempt WHERE executor = :executor;
