-- name: read (sqlite)
-- The oldest messages to these groups. SQLite reads the list with json_each.
SELECT mail_pk, group_no, kind, key, body FROM mail
WHERE group_no IN (SELECT value FROM json_each(:groups)) ORDER BY mail_pk LIMIT :limit;

-- name: read (postgresql)
-- The oldest messages to these groups. PostgreSQL takes the list as an array.
SELECT mail_pk, group_no, kind, key, body FROM mail
WHERE group_no = ANY(:groups::bigint[]) ORDER BY mail_pk LIMIT :limit;

-- name: send (sqlite)
-- rows: group_no smallint, kind text, key text, body text, at bigint
-- Insert messages; a message whose key is stored already is dropped. SQLite runs a batch row by row.
INSERT INTO mail (group_no, kind, key, body, at) VALUES (:group_no, :kind, :key, :body, :at) ON CONFLICT (key) DO NOTHING;

-- name: send (postgresql)
-- rows: group_no smallint, kind text, key text, body text, at bigint
-- Insert messages; a message whose key is stored already is dropped. PostgreSQL runs a batch as one statement.
INSERT INTO mail (group_no, kind, key, body, at) SELECT group_no, kind, key, body, at FROM :rows ON CONFLICT (key) DO NOTHING;

-- name: remove (sqlite)
-- rows: mail_pk bigint
-- Delete messages that were applied, by key. SQLite runs a batch row by row.
DELETE FROM mail WHERE mail_pk = :mail_pk;

-- name: remove (postgresql)
-- rows: mail_pk bigint
-- Delete messages that were applied, by key. PostgreSQL runs a batch as one statement.
DELETE FROM mail USING :rows WHERE mail.mail_pk = r.mail_pk;

-- name: add_request
-- Insert a request to owners of DAGs.
INSERT INTO request (by, kind, body, state, at) VALUES (:by, :kind, :body, 'pending', :at) RETURNING request_pk;

-- name: find_answer
-- State and answer of a request.
SELECT state, answer FROM request WHERE request_pk = :request_pk;
