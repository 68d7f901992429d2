-- Heartbeats of api-servers, for postgresql.

CREATE TABLE api_server (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    up_since BIGINT NOT NULL,
    beat_at BIGINT NOT NULL,
    CONSTRAINT api_server_pkey PRIMARY KEY (id)
);
