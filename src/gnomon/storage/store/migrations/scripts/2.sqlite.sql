-- Revision 2: baselines, the newest forecast, predictions of runs, summaries of durations, and simulations, for sqlite.

CREATE TABLE baseline_state (
    baseline TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    level TEXT NOT NULL,
    changed_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT baseline_state_pkey PRIMARY KEY (baseline, due_at),
    CONSTRAINT baseline_state_level_check CHECK (level IN ('safe', 'at_risk', 'certain_breach', 'broken', 'met'))
);

CREATE INDEX baseline_state_due ON baseline_state (due_at);

CREATE TABLE baseline_prediction (
    baseline TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    predicted_at INTEGER NOT NULL,
    level TEXT NOT NULL,
    breach REAL NOT NULL,
    end_p50 INTEGER,
    end_p90 INTEGER,
    CONSTRAINT baseline_prediction_pkey PRIMARY KEY (baseline, due_at, predicted_at)
);

CREATE TABLE forecast (
    forecast_pk INTEGER NOT NULL,
    at INTEGER NOT NULL,
    fresh_until INTEGER NOT NULL,
    promises TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT forecast_pkey PRIMARY KEY (forecast_pk)
)
WITHOUT ROWID;

CREATE TABLE run_prediction (
    dag_pk INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    basis TEXT NOT NULL,
    run_after INTEGER NOT NULL,
    predicted_at INTEGER NOT NULL,
    end_p50 INTEGER,
    end_p90 INTEGER,
    CONSTRAINT run_prediction_pkey PRIMARY KEY (dag_pk, run_id, basis),
    CONSTRAINT run_prediction_basis_check CHECK (basis IN ('before', 'start')),
    CONSTRAINT run_prediction_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
WITHOUT ROWID;

CREATE INDEX run_prediction_run_after ON run_prediction (run_after);

CREATE TABLE duration_summary (
    dag_pk INTEGER NOT NULL,
    key TEXT NOT NULL,
    body BLOB NOT NULL,
    CONSTRAINT duration_summary_pkey PRIMARY KEY (dag_pk),
    CONSTRAINT duration_summary_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
)
WITHOUT ROWID;

CREATE TABLE simulation (
    simulation_id TEXT NOT NULL,
    account TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    beat_at INTEGER NOT NULL,
    ended_at INTEGER,
    samples_done INTEGER NOT NULL,
    samples INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    error TEXT,
    answer TEXT,
    CONSTRAINT simulation_pkey PRIMARY KEY (simulation_id),
    CONSTRAINT simulation_state_check CHECK (state IN ('running', 'done', 'failed', 'cancelled'))
)
WITHOUT ROWID;
