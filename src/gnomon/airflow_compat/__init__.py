"""The Airflow dialect: Airflow's module paths as thin modules over Gnomon's own classes.

`tree` holds the package `airflow`; `coverage` says of every name what it is here.
"""

from gnomon.loading.dialect import enable

__all__ = ["enable"]
