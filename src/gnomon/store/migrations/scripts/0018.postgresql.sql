-- Figures of the processes of services for /metrics, and how far traces are exported, for postgresql.

CREATE TABLE service_figures (
    process_id TEXT NOT NULL,
    service TEXT NOT NULL,
    host TEXT NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT service_figures_pkey PRIMARY KEY (process_id)
);

CREATE TABLE trace_cursor (
    only_row SMALLINT NOT NULL,
    ended_at BIGINT NOT NULL,
    run_pk BIGINT NOT NULL,
    CONSTRAINT trace_cursor_pkey PRIMARY KEY (only_row),
    CONSTRAINT trace_cursor_only_row_check CHECK (only_row = 1)
);
