"""Sentences without the ids of DAGs that the user may not see: a reason may name any DAG that an upstream or a limit leads to."""

from __future__ import annotations

import re
from collections.abc import Callable

from gnomon.api.access.visible_dags import VisibleDags
from gnomon.store import Transaction
from gnomon.store.dag_records import dags

HIDDEN = "(a DAG that you may not see)"


def build_name_filter(tx: Transaction, visible: VisibleDags) -> Callable[[str], str]:
    """A function that replaces the ids of hidden DAGs in a sentence by HIDDEN; it changes nothing for a user who sees all DAGs."""
    if visible.is_all:
        return lambda sentence: sentence
    hidden = sorted((dag.dag_id for dag in dags.list_dags(tx) if dag.dag_id not in visible), key=len, reverse=True)

    def hide(sentence: str) -> str:
        for dag_id in hidden:
            if dag_id in sentence:
                sentence = re.sub(rf"(?<![\w-]){re.escape(dag_id)}(?![\w-])", HIDDEN, sentence)
        return sentence

    return hide
