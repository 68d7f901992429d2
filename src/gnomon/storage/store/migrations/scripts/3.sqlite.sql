-- Revision 3: baselines that are made on the page, over the API or by the command line, for sqlite.

CREATE TABLE baseline_version (
    baseline TEXT NOT NULL,
    version INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    changed_by TEXT NOT NULL,
    body TEXT,
    CONSTRAINT baseline_version_pkey PRIMARY KEY (baseline, version),
    CONSTRAINT baseline_version_version_check CHECK (version >= 1)
)
WITHOUT ROWID;
