-- name: claim
-- Take a lease that nobody has, that is one's own, or whose holder has been silent; the heartbeat of a holder.
INSERT INTO service_lease (name, holder, host, beat_at) VALUES (:name, :holder, :host, :now)
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, host = excluded.host, beat_at = excluded.beat_at
WHERE service_lease.holder = excluded.holder OR service_lease.beat_at < :before OR service_lease.beat_at > :after;

-- name: find
-- The lease of that name.
SELECT holder, host, beat_at FROM service_lease WHERE name = :name;

-- name: prove
-- Prove that a process holds a lease. FOR SHARE makes another process that takes the lease wait until this transaction ends.
SELECT 1 FROM service_lease WHERE name = 'monitor' AND holder = :me {lock FOR SHARE};

-- name: release
-- Give a lease up.
DELETE FROM service_lease WHERE name = :name AND holder = :holder;
