"""Values of the state stores as operations take and give them: JSON texts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.errors.product import UserError
from gnomon.model.json_text import escape_surrogates
from gnomon.model.sentences import say
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.storage.store import Transaction


def read_value(text: str) -> object:
    """The value of a JSON text. Raises UserError for text that is not JSON."""
    try:
        value: object = json.loads(text)
    except ValueError:
        raise UserError(say("value_is_no_json", text=text)) from None
    return value


def hide_secrets(scope: OperationScope, tx: Transaction, texts: Sequence[str]) -> list[str]:
    """The texts; for an account of the API with *** for the secrets of stored connections and Variables."""
    if not scope.is_remote or not texts:
        return list(texts)
    values = [json.loads(text) for text in texts]
    shown = hide_stored_secrets(tx, values)
    return [
        text if new == old else json.dumps(escape_surrogates(new), ensure_ascii=False)
        for text, old, new in zip(texts, values, shown, strict=True)
    ]
