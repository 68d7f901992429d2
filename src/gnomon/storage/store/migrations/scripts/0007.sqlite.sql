-- Backfills, for sqlite.

CREATE TABLE backfill (
    backfill_pk INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    dag_pk INTEGER NOT NULL,
    group_no SMALLINT NOT NULL,
    from_at INTEGER NOT NULL,
    to_at INTEGER NOT NULL,
    reprocess TEXT NOT NULL,
    max_active_runs INTEGER NOT NULL,
    runs_backwards BOOLEAN DEFAULT 0 NOT NULL,
    conf TEXT DEFAULT '{}' NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    paused BOOLEAN DEFAULT 0 NOT NULL,
    cancelled_by TEXT,
    "position" TEXT,
    is_planned BOOLEAN DEFAULT 0 NOT NULL,
    is_windowed BOOLEAN DEFAULT 1 NOT NULL,
    slot_count INTEGER DEFAULT '0' NOT NULL,
    first_run_after INTEGER,
    error TEXT,
    ended_at INTEGER,
    CONSTRAINT backfill_max_active_runs_check CHECK (max_active_runs >= 1),
    CONSTRAINT backfill_range_check CHECK (from_at <= to_at),
    CONSTRAINT backfill_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE UNIQUE INDEX backfill_active ON backfill (dag_pk) WHERE ended_at IS NULL;

CREATE INDEX backfill_unended ON backfill (group_no) WHERE ended_at IS NULL;

CREATE TABLE backfill_slot (
    backfill_pk INTEGER NOT NULL,
    run_pk INTEGER NOT NULL,
    run_after INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT backfill_slot_pkey PRIMARY KEY (backfill_pk, run_pk)
);

CREATE INDEX backfill_slot_due ON backfill_slot (backfill_pk, run_after) WHERE outcome = 'to_reprocess';

CREATE INDEX dag_run_backfill ON dag_run (backfill_pk, state, run_after) WHERE backfill_pk IS NOT NULL;
