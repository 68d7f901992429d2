-- name: add
-- A new job of an account.
INSERT INTO simulation (simulation_id, account, state, created_at, beat_at, samples_done, samples, scenario)
VALUES (:simulation_id, :account, 'running', :now, :now, 0, :samples, :scenario);

-- name: count_running
-- The jobs whose process is at work.
SELECT count(*) FROM simulation WHERE state = 'running';

-- name: find
-- A job without its answer.
SELECT simulation_id, account, state, created_at, beat_at, ended_at, samples_done, samples, scenario, error
FROM simulation WHERE simulation_id = :simulation_id;

-- name: answer
-- The answer of a job.
SELECT answer FROM simulation WHERE simulation_id = :simulation_id;

-- name: beat
-- The process of a job is alive, and so far; nothing is changed if the job has ended.
UPDATE simulation SET beat_at = :now, samples_done = :samples_done WHERE simulation_id = :simulation_id AND state = 'running';

-- name: end
-- A job ends, once.
UPDATE simulation SET state = :state, ended_at = :now, samples_done = :samples_done, answer = :answer, error = :error
WHERE simulation_id = :simulation_id AND state = 'running';

-- name: cancel
-- A job is not needed any more; its process sees it.
UPDATE simulation SET state = 'cancelled', ended_at = :now WHERE simulation_id = :simulation_id AND state = 'running';

-- name: end_lost
-- Jobs whose process has not been heard of have failed.
UPDATE simulation SET state = 'failed', ended_at = :now, error = :error WHERE state = 'running' AND beat_at < :before;

-- name: remove_old
-- Delete the jobs that began before an instant and have ended.
DELETE FROM simulation WHERE state <> 'running' AND created_at < :before;

-- name: remove_most
-- Delete the oldest ended jobs beyond a number.
DELETE FROM simulation WHERE state <> 'running' AND simulation_id NOT IN
    (SELECT simulation_id FROM simulation ORDER BY created_at DESC, simulation_id LIMIT :kept);
