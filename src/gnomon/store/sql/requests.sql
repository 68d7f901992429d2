-- name: add
-- A request to owners of DAGs.
INSERT INTO request (by, kind, body, state, at) VALUES (:by, :kind, :body, 'pending', :at) RETURNING request_pk;

-- name: answer
-- What became of a request.
SELECT state, answer FROM request WHERE request_pk = :request_pk;

-- name: forget
-- Answered requests of long ago go.
DELETE FROM request WHERE state <> 'pending' AND at < :before;
