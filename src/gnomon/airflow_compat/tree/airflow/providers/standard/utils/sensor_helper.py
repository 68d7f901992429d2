"""`airflow.providers.standard.utils.sensor_helper`: the state of other runs is asked through `TaskInstance.get_task_states`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.external_task_states import count_runs_in_states as _get_count_by_matched_states

__all__ = ["_get_count_by_matched_states"]
__getattr__ = make_getattr(__name__)
