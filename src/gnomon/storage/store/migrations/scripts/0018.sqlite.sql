-- Figures of the processes of services for /metrics, how far traces are exported, and accounts of identity providers, for sqlite.

CREATE TABLE service_figures (
    process_id TEXT NOT NULL,
    service TEXT NOT NULL,
    host TEXT NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT service_figures_pkey PRIMARY KEY (process_id)
);

CREATE TABLE trace_cursor (
    only_row SMALLINT NOT NULL,
    ended_at INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    CONSTRAINT trace_cursor_pkey PRIMARY KEY (only_row),
    CONSTRAINT trace_cursor_only_row_check CHECK (only_row = 1)
);

CREATE TABLE account_identity (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_pk INTEGER NOT NULL,
    CONSTRAINT account_identity_pkey PRIMARY KEY (issuer, subject),
    CONSTRAINT account_identity_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE
);

CREATE INDEX account_identity_account ON account_identity (account_pk);
