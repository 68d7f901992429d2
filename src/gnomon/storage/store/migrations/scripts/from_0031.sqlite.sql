-- From schema 0031, which development versions before revision 1 had, to schema 0034, for sqlite.

-- Messages that cannot be read or applied, and DAGs and groups that are set aside, for sqlite.

CREATE TABLE quarantine (
    quarantine_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    group_no SMALLINT NOT NULL,
    "key" TEXT,
    body BLOB NOT NULL,
    dag_pk INTEGER,
    dag_id TEXT,
    run_pk INTEGER,
    run_id TEXT,
    task_id TEXT,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    attempt TEXT,
    at INTEGER NOT NULL,
    reason TEXT NOT NULL,
    error_class TEXT NOT NULL,
    returns_with_dag BOOLEAN DEFAULT '0' NOT NULL,
    CONSTRAINT quarantine_group_check CHECK (group_no BETWEEN 0 AND 63)
);

CREATE UNIQUE INDEX quarantine_key ON quarantine ("key") WHERE "key" IS NOT NULL;
CREATE INDEX quarantine_dag ON quarantine (dag_pk);
CREATE INDEX quarantine_at ON quarantine (at);

-- Keys of accounts, their sessions and tokens, of alerts, their messages and facts, and of triggers of watchers are never used again, for sqlite: without
-- AUTOINCREMENT it gives the key of the last row, once deleted, to the next row. The epoch of an account begins at a random number.
-- Keys of rows that were deleted before are passed over as far as the audit log has the creations of rows: each raised the largest key by at most one.
-- The tables are made anew while foreign keys are not checked (see `SqliteTarget.run_in_transaction`): to drop a table would delete what refers to it.

CREATE TABLE new_account (
    account_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    password_hash TEXT,
    role TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    CONSTRAINT account_name_key UNIQUE (name_key),
    CONSTRAINT account_role_check CHECK (role IN ('none', 'viewer', 'user', 'operator', 'admin'))
);

INSERT INTO new_account (account_pk, name, name_key, password_hash, role, epoch, created_at)
SELECT account_pk, name, name_key, password_hash, role, random() & 4611686018427387903, created_at FROM account;

DROP TABLE account;

ALTER TABLE new_account RENAME TO account;

DELETE FROM sqlite_sequence WHERE name = 'account';

INSERT INTO sqlite_sequence (name, seq)
SELECT 'account', max((SELECT COALESCE(max(account_pk), 0) FROM account), (SELECT count(*) FROM event_log WHERE kind = 'account_created'));

CREATE TABLE new_api_token (
    token_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL,
    account_pk INTEGER NOT NULL,
    name TEXT NOT NULL,
    secret_hash TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    used_at INTEGER,
    revoked_at INTEGER,
    CONSTRAINT api_token_uid_key UNIQUE (uid),
    CONSTRAINT api_token_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE,
    CONSTRAINT api_token_role_check CHECK (role IN ('viewer', 'user', 'operator', 'admin'))
);

INSERT INTO new_api_token (token_pk, uid, account_pk, name, secret_hash, role, created_at, expires_at, used_at, revoked_at)
SELECT token_pk, uid, account_pk, name, secret_hash, role, created_at, expires_at, used_at, revoked_at FROM api_token;

DROP TABLE api_token;

ALTER TABLE new_api_token RENAME TO api_token;

CREATE INDEX api_token_account ON api_token (account_pk);

DELETE FROM sqlite_sequence WHERE name = 'api_token';

INSERT INTO sqlite_sequence (name, seq)
SELECT 'api_token', max((SELECT COALESCE(max(token_pk), 0) FROM api_token), (SELECT count(*) FROM event_log WHERE kind = 'token_created'));

CREATE TABLE new_login_session (
    session_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    account_pk INTEGER NOT NULL,
    secret_hash TEXT NOT NULL,
    previous_hash TEXT,
    created_at INTEGER NOT NULL,
    rotated_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    address TEXT NOT NULL,
    CONSTRAINT login_session_secret_hash_key UNIQUE (secret_hash),
    CONSTRAINT login_session_account_pk_fkey FOREIGN KEY(account_pk) REFERENCES account (account_pk) ON DELETE CASCADE
);

INSERT INTO new_login_session (session_pk, account_pk, secret_hash, previous_hash, created_at, rotated_at, used_at, address)
SELECT session_pk, account_pk, secret_hash, previous_hash, created_at, rotated_at, used_at, address FROM login_session;

DROP TABLE login_session;

ALTER TABLE new_login_session RENAME TO login_session;

CREATE INDEX login_session_previous ON login_session (previous_hash) WHERE previous_hash IS NOT NULL;

CREATE INDEX login_session_account ON login_session (account_pk);

CREATE INDEX login_session_used ON login_session (used_at);

DELETE FROM sqlite_sequence WHERE name = 'login_session';

INSERT INTO sqlite_sequence (name, seq)
SELECT 'login_session', max((SELECT COALESCE(max(session_pk), 0) FROM login_session), (SELECT count(*) FROM event_log WHERE kind = 'login'));

CREATE TABLE new_alert (
    alert_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    rule TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    dag_pk INTEGER,
    run_pk INTEGER,
    raised_at INTEGER NOT NULL,
    resolved_at INTEGER,
    body TEXT NOT NULL,
    CONSTRAINT alert_resolved_check CHECK (resolved_at IS NULL OR resolved_at >= raised_at)
);

INSERT INTO new_alert (alert_pk, rule, kind, subject, dag_pk, run_pk, raised_at, resolved_at, body)
SELECT alert_pk, rule, kind, subject, dag_pk, run_pk, raised_at, resolved_at, body FROM alert;

DROP TABLE alert;

ALTER TABLE new_alert RENAME TO alert;

CREATE UNIQUE INDEX alert_open ON alert (rule, subject) WHERE resolved_at IS NULL;

CREATE INDEX alert_raised ON alert (raised_at);

CREATE TABLE new_alert_delivery (
    delivery_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL,
    channel TEXT NOT NULL,
    group_key TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    tries INTEGER DEFAULT '0' NOT NULL,
    ended_at INTEGER,
    error TEXT,
    body TEXT NOT NULL,
    CONSTRAINT alert_delivery_uid_key UNIQUE (uid),
    CONSTRAINT alert_delivery_state_check CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    CONSTRAINT alert_delivery_ended_check CHECK ((ended_at IS NULL) = (state IN ('pending', 'sending')))
);

INSERT INTO new_alert_delivery (delivery_pk, uid, channel, group_key, state, created_at, due_at, tries, ended_at, error, body)
SELECT delivery_pk, uid, channel, group_key, state, created_at, due_at, tries, ended_at, error, body FROM alert_delivery;

DROP TABLE alert_delivery;

ALTER TABLE new_alert_delivery RENAME TO alert_delivery;

CREATE INDEX alert_delivery_due ON alert_delivery (due_at) WHERE ended_at IS NULL;

CREATE INDEX alert_delivery_group ON alert_delivery (channel, group_key, delivery_pk);

CREATE INDEX alert_delivery_ended ON alert_delivery (channel, ended_at);

CREATE INDEX alert_delivery_created ON alert_delivery (created_at);

CREATE TABLE new_alert_event (
    event_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    dag_pk INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    body TEXT NOT NULL
);

INSERT INTO new_alert_event (event_pk, kind, at, dag_pk, run_pk, task_no, map_index, body)
SELECT event_pk, kind, at, dag_pk, run_pk, task_no, map_index, body FROM alert_event;

DROP TABLE alert_event;

ALTER TABLE new_alert_event RENAME TO alert_event;

CREATE TABLE new_asset_trigger (
    asset_trigger_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    identity TEXT NOT NULL,
    classpath TEXT NOT NULL,
    kwargs TEXT NOT NULL,
    triggerer TEXT,
    retry_at INTEGER,
    failures INTEGER DEFAULT '0' NOT NULL,
    failure TEXT,
    failed_at INTEGER,
    event_count INTEGER DEFAULT '0' NOT NULL,
    last_event_at INTEGER,
    created_at INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT asset_trigger_identity_key UNIQUE (identity),
    CONSTRAINT asset_trigger_failure_check CHECK ((failure IS NULL) = (failed_at IS NULL))
);

INSERT INTO new_asset_trigger (asset_trigger_pk, identity, classpath, kwargs, triggerer, retry_at, failures, failure, failed_at, event_count, last_event_at, created_at)
SELECT asset_trigger_pk, identity, classpath, kwargs, triggerer, retry_at, failures, failure, failed_at, event_count, last_event_at, created_at FROM asset_trigger;

DROP TABLE asset_trigger;

ALTER TABLE new_asset_trigger RENAME TO asset_trigger;

CREATE INDEX asset_trigger_triggerer ON asset_trigger (triggerer);

-- The queues that workers of the CeleryExecutor take messages from, for sqlite.

ALTER TABLE worker ADD COLUMN queues TEXT;
