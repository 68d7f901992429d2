-- The journal of changes that event streams read, for sqlite. The key grows in the order of the commits, because SQLite has one writer at a time.

CREATE TABLE change_journal (
    change_pk INTEGER NOT NULL,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT change_journal_pkey PRIMARY KEY (change_pk)
);
