-- Alerts: what happened, what was raised, what is sent; and the lease of the one monitor, for sqlite.

CREATE TABLE service_lease (
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    host TEXT NOT NULL,
    beat_at INTEGER NOT NULL,
    CONSTRAINT service_lease_pkey PRIMARY KEY (name)
);

CREATE TABLE alert_event (
    event_pk INTEGER NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    dag_pk INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    task_no INTEGER,
    map_index INTEGER DEFAULT '-1' NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT alert_event_pkey PRIMARY KEY (event_pk)
);

CREATE TABLE alert (
    alert_pk INTEGER NOT NULL,
    rule TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    dag_pk INTEGER,
    run_pk INTEGER,
    raised_at INTEGER NOT NULL,
    resolved_at INTEGER,
    body TEXT NOT NULL,
    CONSTRAINT alert_pkey PRIMARY KEY (alert_pk),
    CONSTRAINT alert_resolved_check CHECK (resolved_at IS NULL OR resolved_at >= raised_at)
);

CREATE UNIQUE INDEX alert_open ON alert (rule, subject) WHERE resolved_at IS NULL;

CREATE INDEX alert_raised ON alert (raised_at);

CREATE TABLE alert_delivery (
    delivery_pk INTEGER NOT NULL,
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
    CONSTRAINT alert_delivery_pkey PRIMARY KEY (delivery_pk),
    CONSTRAINT alert_delivery_uid_key UNIQUE (uid),
    CONSTRAINT alert_delivery_state_check CHECK (state IN ('pending', 'sending', 'sent', 'failed')),
    CONSTRAINT alert_delivery_ended_check CHECK ((ended_at IS NULL) = (state IN ('pending', 'sending')))
);

CREATE INDEX alert_delivery_due ON alert_delivery (due_at) WHERE ended_at IS NULL;

CREATE INDEX alert_delivery_group ON alert_delivery (channel, group_key, delivery_pk);

CREATE INDEX alert_delivery_ended ON alert_delivery (channel, ended_at);

CREATE INDEX alert_delivery_created ON alert_delivery (created_at);
