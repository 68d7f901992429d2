"""Moving from Airflow: `providers` installs and checks provider packages, `repository` reads a folder of DAG files without running
them, `records` takes connections, variables and pools from Airflow.

The commands are `gnomon providers` and `gnomon migrate`. Nothing imports this package: the command line loads it by path.
"""
