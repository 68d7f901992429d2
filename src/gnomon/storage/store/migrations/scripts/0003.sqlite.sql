-- Schedulers leave no waiting rows at a pool (docs/decisions/0005-pools-between-schedulers.md), for sqlite.

DROP TABLE pool_waiter;
