"""Marks that skip in some of Airflow's own environments."""

import pytest

skip_if_force_lowest_dependencies_marker = pytest.mark.skipif(False, reason="")
skip_if_not_on_main = pytest.mark.skipif(False, reason="")
