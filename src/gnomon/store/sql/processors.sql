-- name: beat
-- A dag-processor is alive; its first beat makes its row.
INSERT INTO dag_processor (id, host, beat_at) VALUES (:id, :host, :now)
ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at;

-- name: retire
-- A dag-processor ended in good order.
DELETE FROM dag_processor WHERE id = :id;

-- name: forget
-- Those that fell silent long ago leave the register.
DELETE FROM dag_processor WHERE beat_at < :before;

-- name: all
-- All known dag-processors, the last heard of first.
SELECT id, host, beat_at FROM dag_processor ORDER BY beat_at DESC, id;
