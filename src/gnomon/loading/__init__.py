"""Where author code comes into the process: DAG files, the dialect's import paths, class paths.

`dialect` makes `import airflow...` work, `classes` resolves stored class paths, `dagfile` imports DAG files.
"""
