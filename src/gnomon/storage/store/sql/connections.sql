-- name: get
-- Find a connection.
SELECT conn_id, conn_type, host, schema, login, password, port, extra, description, encrypted
FROM connection WHERE conn_id = :conn_id;

-- name: list
-- All connections by id.
SELECT conn_id, conn_type, host, schema, login, password, port, extra, description, encrypted
FROM connection ORDER BY conn_id;

-- name: put
-- Insert or replace a connection.
INSERT INTO connection (conn_id, conn_type, host, schema, login, password, port, extra, description, encrypted)
VALUES (:conn_id, :conn_type, :host, :schema, :login, :password, :port, :extra, :description, :encrypted)
ON CONFLICT (conn_id) DO UPDATE SET conn_type = excluded.conn_type, host = excluded.host, schema = excluded.schema,
       login = excluded.login, password = excluded.password, port = excluded.port, extra = excluded.extra,
       description = excluded.description, encrypted = excluded.encrypted;

-- name: remove
-- Delete a connection.
DELETE FROM connection WHERE conn_id = :conn_id;
