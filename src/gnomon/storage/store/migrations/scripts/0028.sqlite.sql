-- Views of lists that users of the page have saved, for sqlite.

CREATE TABLE saved_view (
    account_pk INTEGER NOT NULL,
    page TEXT NOT NULL,
    name TEXT NOT NULL,
    query TEXT NOT NULL,
    is_default SMALLINT DEFAULT '0' NOT NULL,
    CONSTRAINT saved_view_pkey PRIMARY KEY (account_pk, page, name),
    CONSTRAINT saved_view_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT saved_view_is_default_check CHECK (is_default IN (0, 1)),
    CONSTRAINT saved_view_texts_check CHECK (length(page) <= 100 AND length(name) <= 100 AND length(query) <= 4000)
);
