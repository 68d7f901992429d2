"""DAG files, DAGs, versions, runs, XComs and the audit log, as every process may read them.

Open `dag_files.py` first: it records a parse, and `dag_versions.py` writes the DAGs that the parse defined. `dags.py` pauses
DAGs, `dag_runs.py` lists runs and creates manual ones.
"""
