-- The journal of changes that event streams read, for postgresql. A key may become visible before a smaller one (store/change_journal.py).

CREATE TABLE change_journal (
    change_pk BIGSERIAL NOT NULL,
    at BIGINT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT change_journal_pkey PRIMARY KEY (change_pk)
);
