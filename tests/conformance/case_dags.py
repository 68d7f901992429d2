"""The DAG files of tests/conformance/cases, as the dag-processor would read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gnomon.author_code.loading import dagfile
from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.model.spec import DagSpec

CASES = Path(__file__).parent / "cases"


def load_case(name: str) -> Any:
    """The only DAG of a case, as its author wrote it."""
    (dag,) = dagfile.load_dag_file(CASES / name / "dag.py").dags.values()
    return dag


def read_case(name: str) -> DagSpec:
    """The only DAG of a case, as the store has it."""
    return build_dag_spec(load_case(name), name, load_class).spec


def read_case_dags(name: str, file: str) -> dict[str, DagSpec]:
    """The DAGs of a file of a case, by id, as the store has them."""
    dags = dagfile.load_dag_file(CASES / name / file).dags
    return {dag_id: build_dag_spec(dag, file, load_class).spec for dag_id, dag in dags.items()}
