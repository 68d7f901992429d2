-- Heartbeats of api-servers, for sqlite.

CREATE TABLE api_server (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    up_since INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    CONSTRAINT api_server_pkey PRIMARY KEY (id)
);
