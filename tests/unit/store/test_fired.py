"""How a wait ended, as the store keeps it."""

from __future__ import annotations

import base64

import msgspec
import pytest

from gnomon.model.deferral import Fired
from gnomon.store import WrongKey
from gnomon.store.cipher import Cipher
from gnomon.store.waits import opened_fired, sealed_fired

KEY = base64.urlsafe_b64encode(bytes(32)).decode()


def test_an_event_that_tells_only_that_it_happened_needs_no_key_and_nothing_else_goes_without() -> None:
    cipher = Cipher(lambda: [KEY])
    for bare in (Fired(outcome="success"), Fired(outcome="event", due_at=5)):
        text = sealed_fired(bare, cipher)
        assert text is not None and text.startswith("{") and opened_fired(text, cipher) == bare
    for telling in (
        Fired(outcome="event", payload='"p"'), Fired(outcome="success", xcoms={"k": "1"}), Fired(outcome="error", reason="r"),
        Fired(outcome="error", traceback="t"),
    ):
        text = sealed_fired(telling, cipher)
        assert text is not None and not text.startswith("{") and opened_fired(text, cipher) == telling
        with pytest.raises(WrongKey, match="clear text"):
            opened_fired(msgspec.json.encode(telling).decode(), cipher)
