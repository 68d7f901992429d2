"""`airflow.example_dags.plugins.decreasing_priority_weight_strategy`: a strategy for the published example, in code of our own."""

from __future__ import annotations

from typing import Any

from airflow.plugins_manager import AirflowPlugin
from airflow.task.priority_strategy import PriorityWeightStrategy

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["DecreasingPriorityStrategy", "DecreasingPriorityWeightStrategyPlugin"]

_HIGHEST = 4


class DecreasingPriorityStrategy(PriorityWeightStrategy):
    """Each try has a lower priority than the one before, down to 1."""

    def get_weight(self, ti: Any) -> int:
        """4 before the first try."""
        return max(1, _HIGHEST - (ti.try_number or 0))


class DecreasingPriorityWeightStrategyPlugin(AirflowPlugin):
    """Registers the strategy."""

    name = "decreasing_priority_weight_strategy_plugin"
    priority_weight_strategies = [DecreasingPriorityStrategy]


__getattr__ = make_getattr(__name__)
