-- name: find
-- The encrypted check value; no row before the first start.
SELECT sealed FROM key_check;

-- name: add
-- Insert the check value if there is none, and return the stored one; the row is locked until this transaction ends.
INSERT INTO key_check (only_row, sealed) VALUES (1, :sealed)
ON CONFLICT (only_row) DO UPDATE SET sealed = key_check.sealed RETURNING sealed;

-- name: put
-- Insert or replace the check value.
INSERT INTO key_check (only_row, sealed) VALUES (1, :sealed) ON CONFLICT (only_row) DO UPDATE SET sealed = excluded.sealed;

-- name: samples
-- One encrypted value of each kind, where there is any.
SELECT (SELECT kwargs FROM trigger LIMIT 1), (SELECT value FROM variable WHERE encrypted LIMIT 1),
       (SELECT COALESCE(password, extra) FROM connection WHERE encrypted AND COALESCE(password, extra) IS NOT NULL LIMIT 1);

-- name: live_services
-- Services with a heartbeat since an instant, and their hosts.
SELECT 'scheduler', host FROM scheduler WHERE beat_at >= :since AND NOT fenced
UNION SELECT 'worker', host FROM worker WHERE beat_at >= :since AND NOT lost
UNION SELECT 'triggerer', host FROM triggerer WHERE beat_at >= :since AND NOT fenced
UNION SELECT 'dag-processor', host FROM dag_processor WHERE beat_at >= :since
UNION SELECT name, host FROM service_lease WHERE beat_at >= :since
ORDER BY 1, 2;

-- name: trigger_values
-- The encrypted columns of all triggers and of triggers that must end.
SELECT kwargs FROM trigger UNION ALL SELECT next_kwargs FROM trigger UNION ALL SELECT result FROM trigger
UNION ALL SELECT kwargs FROM trigger_end;

-- name: mail
-- Mail of the kinds that may be encrypted.
SELECT kind, body FROM mail WHERE kind IN ('result', 'trigger');

-- name: specs
-- Versions of DAGs, by key, after one of them.
SELECT version_pk, spec FROM dag_version WHERE version_pk > :after ORDER BY version_pk LIMIT :limit;
