-- name: waits
-- What waiting tasks and their triggers are called with, and what came for them.
SELECT kwargs FROM trigger UNION ALL SELECT next_kwargs FROM trigger UNION ALL SELECT fired FROM trigger
UNION ALL SELECT kwargs FROM trigger_end;

-- name: letters
-- Letters of the kinds that may be sealed.
SELECT kind, body FROM mail WHERE kind IN ('result', 'trigger');

-- name: specs
-- Versions of DAGs after one of them.
SELECT version_pk, spec FROM dag_version WHERE version_pk > :after ORDER BY version_pk LIMIT :most;
