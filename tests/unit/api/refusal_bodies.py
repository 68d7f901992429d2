"""The whole body of a refusal, for tests that nothing else is told."""

from __future__ import annotations

import json
from typing import Any

from gnomon.api.common.refusals import answer_refusal
from gnomon.model.sentences import Sentence, say


def build_body(sentence: Sentence) -> Any:
    """The body that a refusal with this sentence has."""
    return json.loads(bytes(answer_refusal(400, sentence).body))


def build_hidden_dag(dag_id: str) -> Any:
    """The body for a DAG that does not exist, or that the user may not see: no other name is in it."""
    return build_body(say("dag_does_not_exist", dag=dag_id))
