"""`airflow.utils.dag_cycle_tester`: the check that tests of DAG files call."""

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["check_cycle", "test_cycle"]


def check_cycle(dag):
    """Raise AirflowDagCycleException when the tasks of the DAG form a cycle."""
    dag.check_cycle()


def test_cycle(dag):
    """The name in Airflow 1 and 2."""
    check_cycle(dag)


test_cycle.__test__ = False
__getattr__ = make_getattr(__name__)
