"""The Airflow dialect: Airflow's module paths as thin modules over Gnomon's own classes. `enable()` makes them importable.

`tree/` has the package `airflow`; `coverage.py` says of every name of Airflow whether it works: what `tree_exports.py` reads from the tree, less
what `coverage_gaps.py` lists. `missing_names.py` and `stand_ins.py` handle names without an implementation. `migration` is what helps to move from Airflow (`gnomon migrate`, `gnomon providers`); it reads
the table of names. May import everything below, and nothing imports this layer: `loading/dialect.py` puts the tree on the path by its folder.

An example: `from airflow.sdk import DAG` in a file finds `tree/airflow/sdk/__init__.py`, which gives the class of `gnomon.authoring.sdk.dags.dag`.
"""

from gnomon.author_code.loading.dialect import enable

__all__ = ["enable"]
