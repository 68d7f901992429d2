-- Revision 2: baselines, the newest forecast, predictions of runs, summaries of durations, and simulations, for postgresql.

CREATE TABLE baseline_state (
    baseline TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    level TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT baseline_state_pkey PRIMARY KEY (baseline, due_at),
    CONSTRAINT baseline_state_level_check CHECK (level IN ('safe', 'at_risk', 'certain_breach', 'broken', 'met'))
);

CREATE INDEX baseline_state_due ON baseline_state (due_at);

CREATE TABLE baseline_prediction (
    baseline TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    predicted_at BIGINT NOT NULL,
    level TEXT NOT NULL,
    breach DOUBLE PRECISION NOT NULL,
    end_p50 BIGINT,
    end_p90 BIGINT,
    CONSTRAINT baseline_prediction_pkey PRIMARY KEY (baseline, due_at, predicted_at)
);

CREATE TABLE forecast (
    forecast_pk BIGINT NOT NULL,
    at BIGINT NOT NULL,
    fresh_until BIGINT NOT NULL,
    promises TEXT NOT NULL,
    body TEXT NOT NULL,
    CONSTRAINT forecast_pkey PRIMARY KEY (forecast_pk)
);

CREATE TABLE run_prediction (
    dag_pk BIGINT NOT NULL,
    run_id TEXT NOT NULL,
    basis TEXT NOT NULL,
    run_after BIGINT NOT NULL,
    predicted_at BIGINT NOT NULL,
    end_p50 BIGINT,
    end_p90 BIGINT,
    CONSTRAINT run_prediction_pkey PRIMARY KEY (dag_pk, run_id, basis),
    CONSTRAINT run_prediction_basis_check CHECK (basis IN ('before', 'start')),
    CONSTRAINT run_prediction_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE INDEX run_prediction_run_after ON run_prediction (run_after);

CREATE TABLE duration_summary (
    dag_pk BIGINT NOT NULL,
    key TEXT NOT NULL,
    body BYTEA NOT NULL,
    CONSTRAINT duration_summary_pkey PRIMARY KEY (dag_pk),
    CONSTRAINT duration_summary_dag_pk_fkey FOREIGN KEY(dag_pk) REFERENCES dag (dag_pk)
);

CREATE TABLE simulation (
    simulation_id TEXT NOT NULL,
    account TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    beat_at BIGINT NOT NULL,
    ended_at BIGINT,
    samples_done BIGINT NOT NULL,
    samples BIGINT NOT NULL,
    scenario TEXT NOT NULL,
    error TEXT,
    answer TEXT,
    CONSTRAINT simulation_pkey PRIMARY KEY (simulation_id),
    CONSTRAINT simulation_state_check CHECK (state IN ('running', 'done', 'failed', 'cancelled'))
);
