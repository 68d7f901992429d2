"""The DAG files of tests/conformance/cases, as the dag-processor would read them."""

from __future__ import annotations

from pathlib import Path

from gnomon.loading import dagfile
from gnomon.loading.class_loader import load_class
from gnomon.model.spec import DagSpec
from gnomon.sdk.dags.dag_spec import build_dag_spec

CASES = Path(__file__).parents[2] / "conformance/cases"


def read_case(name: str) -> DagSpec:
    """The only DAG of a case."""
    (dag,) = dagfile.load_dag_file(CASES / name / "dag.py").dags.values()
    return build_dag_spec(dag, name, load_class).spec
