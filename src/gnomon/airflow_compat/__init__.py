"""The Airflow dialect: Airflow's module paths as thin modules over Gnomon's own classes. `enable()` makes them importable.

`tree/` has the package `airflow`; `coverage.py` lists every name of Airflow and whether it works; `missing_names.py` and
`stand_ins.py` handle names without an implementation.
"""

from gnomon.author_code.loading.dialect import enable

__all__ = ["enable"]
