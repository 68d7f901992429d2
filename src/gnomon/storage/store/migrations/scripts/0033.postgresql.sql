-- The epoch of an account begins at a random number, for postgresql. Difference: sequences never give a key again, so no table is made anew.

ALTER TABLE account ALTER COLUMN epoch TYPE BIGINT;
ALTER TABLE account ALTER COLUMN epoch DROP DEFAULT;

UPDATE account SET epoch = floor(random() * 4611686018427387903)::bigint;
