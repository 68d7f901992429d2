"""The metadata of an identity provider: its document of discovery, of which every address is checked before one is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from gnomon.api.identity.provider_exchange import ProviderUnavailable, get_object
from gnomon.ground.config.network_address import is_loopback
from gnomon.model.sentences import say

_REQUIRED = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_OPTIONAL = ("userinfo_endpoint", "end_session_endpoint")


def fetch_metadata(issuer: str) -> dict[str, Any]:
    """The metadata that the issuer gives about itself. Raises ProviderUnavailable."""
    url = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    metadata = get_object(url)
    if metadata.get("issuer") != issuer:
        named = repr(metadata.get("issuer"))[:300]
        raise ProviderUnavailable(say("provider_names_another_issuer", url=url, name=named, issuer=issuer))
    for name in _REQUIRED:
        if not isinstance(metadata.get(name), str):
            raise ProviderUnavailable(say("provider_names_no_endpoint", url=url, name=name))
    for name in (*_REQUIRED, *_OPTIONAL):
        if isinstance(metadata.get(name), str) and not _is_as_safe(metadata[name], issuer):
            required_start = (
                "https://" if issuer.startswith("https:") else "https://, or with http:// and this machine,"
            )
            raise ProviderUnavailable(
                say(
                    "provider_endpoint_is_not_safe",
                    url=url,
                    name=name,
                    text=metadata[name][:300],
                    issuer=issuer,
                    example=required_start,
                )
            )
    return metadata


def choose_client_authentication(metadata: Mapping[str, Any], client_secret: str) -> str:
    """How the client identifies itself at the token endpoint: a name of OpenID Connect."""
    if not client_secret:
        return "none"
    supported = metadata.get("token_endpoint_auth_methods_supported")
    has_basic = not isinstance(supported, list) or "client_secret_basic" in supported
    return "client_secret_basic" if has_basic else "client_secret_post"


def _is_as_safe(address: str, issuer: str) -> bool:
    """Whether an address protects what is sent there as the issuer's does: https below https, and otherwise this machine at most."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    if not host or "@" in parts.netloc or not address.isprintable() or " " in address or "\\" in address:
        return False
    return parts.scheme == "https" or (
        parts.scheme == "http" and issuer.startswith("http:") and (host == "localhost" or is_loopback(host))
    )
