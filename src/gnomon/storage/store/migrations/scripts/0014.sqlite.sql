-- Accounts, their grants on single DAGs, API tokens, sessions of browsers, and failed logins, for sqlite.

CREATE TABLE account (
    account_pk INTEGER NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    password_hash TEXT,
    role TEXT NOT NULL,
    epoch INTEGER DEFAULT '0' NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT account_pkey PRIMARY KEY (account_pk),
    CONSTRAINT account_name_key UNIQUE (name_key),
    CONSTRAINT account_role_check CHECK (role IN ('none', 'viewer', 'user', 'operator', 'admin'))
);

CREATE TABLE account_grant (
    account_pk INTEGER NOT NULL,
    kind TEXT NOT NULL,
    pattern TEXT NOT NULL,
    role TEXT NOT NULL,
    CONSTRAINT account_grant_pkey PRIMARY KEY (account_pk, kind, pattern),
    CONSTRAINT account_grant_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT account_grant_kind_check CHECK (kind IN ('dag', 'tag')),
    CONSTRAINT account_grant_role_check CHECK (role IN ('viewer', 'user', 'operator', 'admin'))
);

CREATE TABLE api_token (
    token_pk INTEGER NOT NULL,
    uid TEXT NOT NULL,
    account_pk INTEGER NOT NULL,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at INTEGER,
    revoked_at INTEGER,
    CONSTRAINT api_token_pkey PRIMARY KEY (token_pk),
    CONSTRAINT api_token_uid_key UNIQUE (uid),
    CONSTRAINT api_token_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT api_token_role_check CHECK (role IN ('viewer', 'user', 'operator', 'admin'))
);

CREATE INDEX api_token_account ON api_token (account_pk);

CREATE TABLE login_session (
    session_pk INTEGER NOT NULL,
    account_pk INTEGER NOT NULL,
    secret_hash TEXT NOT NULL,
    previous_hash TEXT,
    created_at INTEGER NOT NULL,
    rotated_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    address TEXT NOT NULL,
    CONSTRAINT login_session_pkey PRIMARY KEY (session_pk),
    CONSTRAINT login_session_secret_hash_key UNIQUE (secret_hash),
    CONSTRAINT login_session_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE
);

CREATE INDEX login_session_previous ON login_session (previous_hash) WHERE previous_hash IS NOT NULL;

CREATE INDEX login_session_account ON login_session (account_pk);

CREATE INDEX login_session_used ON login_session (used_at);

CREATE TABLE login_failure (
    source TEXT NOT NULL,
    failures INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    CONSTRAINT login_failure_pkey PRIMARY KEY (source)
);

CREATE INDEX login_failure_last ON login_failure (last_at);
