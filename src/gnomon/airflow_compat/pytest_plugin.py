"""The pytest plugin `gnomon`: makes `import airflow` work in tests, and offers the fixtures of `pytest_fixtures.py`.

It imports nothing else of Gnomon, so that it costs a test run without DAGs nothing. Beside another package `airflow` it is off;
`-p no:gnomon` turns it off too.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder

import pytest

from gnomon.author_code.loading import dialect

_FIXTURES = "gnomon.airflow_compat.pytest_fixtures"


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Let `conftest.py` and test modules import `airflow`. The folder is last on `sys.path`, so that it hides no module of the tests."""
    if not _has_other_airflow() and dialect.TREE not in sys.path:
        sys.path.append(dialect.TREE)


def pytest_configure(config: pytest.Config) -> None:
    """Register the fixtures, unless another Airflow is installed."""
    if dialect.is_enabled() and not _has_other_airflow():
        from gnomon.airflow_compat import pytest_fixtures  # not needed beside another Airflow

        config.pluginmanager.register(pytest_fixtures, _FIXTURES)


def _has_other_airflow() -> bool:
    """Whether `import airflow` finds a package that is not Gnomon's. Folders of provider packages alone are no such package."""
    airflow_module = sys.modules.get("airflow")
    if airflow_module is not None:
        return not str(getattr(airflow_module, "__file__", "")).startswith(dialect.TREE)
    airflow_spec = PathFinder.find_spec("airflow")
    return (
        airflow_spec is not None
        and airflow_spec.origin is not None
        and not airflow_spec.origin.startswith(dialect.TREE)
    )
