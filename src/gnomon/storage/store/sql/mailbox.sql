-- name: read
-- The oldest messages to these groups.
SELECT mail_pk, group_no, kind, key, body FROM mail
WHERE group_no {in :groups bigint} ORDER BY mail_pk LIMIT :limit;

-- name: send
-- rows: group_no smallint, kind text, key text, body text, at bigint
-- Insert messages; a message whose key is stored already is dropped.
INSERT INTO mail (group_no, kind, key, body, at) {values :group_no, :kind, :key, :body, :at} ON CONFLICT (key) DO NOTHING;

-- name: remove
-- rows: mail_pk bigint
-- Delete messages that were applied, by key.
DELETE FROM mail {using rows} WHERE mail.mail_pk = :mail_pk;

-- name: add_request
-- Insert a request to owners of DAGs.
INSERT INTO request (by, kind, body, state, at) VALUES (:by, :kind, :body, 'pending', :at) RETURNING request_pk;

-- name: find_answer
-- State and answer of a request.
SELECT state, answer FROM request WHERE request_pk = :request_pk;
