"""The key of tests: what they encrypt, they can open again in any process."""

from __future__ import annotations

import base64

from gnomon.storage.store import Cipher

KEY = base64.urlsafe_b64encode(b"a key that everybody may know...").decode()
CIPHER = Cipher(lambda: [KEY], "the key of the tests")
