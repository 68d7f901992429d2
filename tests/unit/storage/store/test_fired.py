"""How a wait ended, as the store keeps it."""

from __future__ import annotations

import base64

import msgspec
import pytest

from gnomon.model.deferral import DeferralResult
from gnomon.storage.store import WrongKey
from gnomon.storage.store.encryption.cipher import Cipher
from gnomon.storage.store.trigger_queue.deferrals import decrypt_result, encrypt_result

KEY = base64.urlsafe_b64encode(bytes(32)).decode()


def test_an_event_that_tells_only_that_it_happened_needs_no_key_and_nothing_else_goes_without() -> None:
    cipher = Cipher(lambda: [KEY])
    for bare in (DeferralResult(outcome="success"), DeferralResult(outcome="event", due_at=5)):
        text = encrypt_result(bare, cipher)
        assert text is not None and text.startswith("{") and decrypt_result(text, cipher) == bare
    for telling in (
        DeferralResult(outcome="event", payload='"p"'),
        DeferralResult(outcome="success", xcoms={"k": "1"}),
        DeferralResult(outcome="error", reason="r"),
        DeferralResult(outcome="error", traceback="t"),
    ):
        text = encrypt_result(telling, cipher)
        assert text is not None and not text.startswith("{") and decrypt_result(text, cipher) == telling
        with pytest.raises(WrongKey, match="clear text"):
            decrypt_result(msgspec.json.encode(telling).decode(), cipher)
