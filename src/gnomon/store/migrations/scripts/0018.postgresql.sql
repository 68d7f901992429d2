-- Figures of the processes of services for /metrics, for postgresql.

CREATE TABLE service_figures (
    process_id TEXT NOT NULL,
    service TEXT NOT NULL,
    host TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT service_figures_pkey PRIMARY KEY (process_id)
);
