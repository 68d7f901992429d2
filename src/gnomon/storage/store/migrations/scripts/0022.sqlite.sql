-- The template fields of task instances as they were rendered, for sqlite.

CREATE TABLE rendered_fields (
    run_pk INTEGER NOT NULL,
    task_no INTEGER NOT NULL,
    map_index INTEGER NOT NULL,
    fields TEXT NOT NULL,
    CONSTRAINT rendered_fields_pkey PRIMARY KEY (run_pk, task_no, map_index),
    CONSTRAINT rendered_fields_run_pk_fkey FOREIGN KEY(run_pk) REFERENCES dag_run (run_pk) ON DELETE CASCADE
)
 WITHOUT ROWID;
