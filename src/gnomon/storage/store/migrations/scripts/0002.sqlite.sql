-- The key check, for sqlite.

CREATE TABLE key_check (
    only_row SMALLINT NOT NULL,
    sealed TEXT NOT NULL,
    CONSTRAINT key_check_pkey PRIMARY KEY (only_row),
    CONSTRAINT key_check_only_row_check CHECK (only_row = 1)
);
