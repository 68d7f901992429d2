"""What the dag-processor records of a parse: `dag_files.py` (open it first) and the versions of the DAGs that the file defined."""
