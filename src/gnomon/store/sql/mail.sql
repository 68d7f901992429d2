-- name: take (sqlite)
-- The oldest letters to these groups. SQLite opens the list with json_each.
SELECT mail_pk, group_no, kind, key, body FROM mail
WHERE group_no IN (SELECT value FROM json_each(:groups)) ORDER BY mail_pk LIMIT :most;

-- name: take (postgresql)
-- The oldest letters to these groups. PostgreSQL takes the list as an array.
SELECT mail_pk, group_no, kind, key, body FROM mail
WHERE group_no = ANY(:groups::bigint[]) ORDER BY mail_pk LIMIT :most;

-- name: send (sqlite)
-- rows: group_no smallint, kind text, key text, body text, at bigint
-- Letters; one whose key is already there is dropped. A batch is one row at a time here.
INSERT INTO mail (group_no, kind, key, body, at) VALUES (:group_no, :kind, :key, :body, :at) ON CONFLICT (key) DO NOTHING;

-- name: send (postgresql)
-- rows: group_no smallint, kind text, key text, body text, at bigint
-- Letters; one whose key is already there is dropped. A batch is one statement here.
INSERT INTO mail (group_no, kind, key, body, at) SELECT group_no, kind, key, body, at FROM :rows ON CONFLICT (key) DO NOTHING;

-- name: remove (sqlite)
-- rows: mail_pk bigint
-- Letters that were applied, by id. A batch is one row at a time here.
DELETE FROM mail WHERE mail_pk = :mail_pk;

-- name: remove (postgresql)
-- rows: mail_pk bigint
-- Letters that were applied, by id. A batch is one statement here.
DELETE FROM mail USING :rows WHERE mail.mail_pk = r.mail_pk;
