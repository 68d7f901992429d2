-- Revision 3: baselines that are made on the page, over the API or by the command line, for postgresql.

CREATE TABLE baseline_version (
    baseline TEXT NOT NULL,
    version BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by TEXT NOT NULL,
    body TEXT,
    CONSTRAINT baseline_version_pkey PRIMARY KEY (baseline, version),
    CONSTRAINT baseline_version_version_check CHECK (version >= 1)
);
