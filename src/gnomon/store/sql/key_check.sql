-- name: standing
-- The value that tells right keys from wrong ones; none until the first start.
SELECT sealed FROM key_check;

-- name: hold
-- What stands, and that is this value if none stood; nobody else replaces it before this transaction ends.
INSERT INTO key_check (only_row, sealed) VALUES (1, :sealed)
ON CONFLICT (only_row) DO UPDATE SET sealed = key_check.sealed RETURNING sealed;

-- name: put
-- This value stands, whatever stood there.
INSERT INTO key_check (only_row, sealed) VALUES (1, :sealed) ON CONFLICT (only_row) DO UPDATE SET sealed = excluded.sealed;

-- name: samples
-- One value of each kind that is encrypted, where there is any: the key has to open it.
SELECT (SELECT kwargs FROM trigger LIMIT 1), (SELECT value FROM variable WHERE encrypted LIMIT 1),
       (SELECT COALESCE(password, extra) FROM connection WHERE encrypted AND COALESCE(password, extra) IS NOT NULL LIMIT 1);

-- name: beating
-- Services that were heard of since an instant, and where.
SELECT 'scheduler', host FROM scheduler WHERE beat_at >= :since AND NOT fenced
UNION SELECT 'worker', host FROM worker WHERE beat_at >= :since AND NOT lost
UNION SELECT 'triggerer', host FROM triggerer WHERE beat_at >= :since AND NOT fenced
UNION SELECT 'dag-processor', host FROM dag_processor WHERE beat_at >= :since
ORDER BY 1, 2;
