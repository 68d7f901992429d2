"""The keys of an identity provider that verify its signatures, as its JSON Web Key Set lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gnomon.api.identity.provider_exchange import ProviderUnavailable
from gnomon.model.sentences import say

KEYS_MAX = 100
_PUBLIC = {"EC": ("crv", "x", "y"), "RSA": ("n", "e"), "OKP": ("crv", "x")}
"""Kinds of keys to the members of their public half; secrets that are shared (oct) verify nothing here."""
_NUMBER_MAX = 2800
"""Characters of a number: those of 16,384 bits, the most that OpenSSL computes with."""


def read_keys(key_set: Mapping[str, Any], url: str) -> list[Any]:
    """The keys for signatures, as `jwt.PyJWK`; unusable ones are left out. Raises ProviderUnavailable."""
    listed = key_set.get("keys")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise ProviderUnavailable(say("provider_keys_are_no_list", url=url))
    if len(listed) > KEYS_MAX:
        raise ProviderUnavailable(say("provider_has_many_keys", url=url, number=len(listed), most=KEYS_MAX))
    return [key for key in map(_read_key, listed) if key is not None]


def _read_key(described: Mapping[str, Any]) -> Any:
    """Only the public members count: to complete a private key without its primes can take hours."""
    import jwt  # start-up cost: only with [oidc]

    kind = described.get("kty")
    members = _PUBLIC.get(kind) if isinstance(kind, str) else None
    if members is None or described.get("use", "sig") != "sig":
        return None
    kept_members = (*members, *(name for name in ("alg", "kid") if name in described))
    public = {name: described.get(name) for name in kept_members}
    if not all(isinstance(value, str) and len(value) <= _NUMBER_MAX for value in public.values()):
        return None
    try:
        return jwt.PyJWK.from_dict({"kty": kind, **public})
    except (jwt.PyJWTError, ValueError, ArithmeticError):
        return None
