"""The options of section oidc, read once at the start."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import urlsplit

from gnomon.ground.config import Config, OptionError
from gnomon.ground.config.network_address import is_loopback
from gnomon.model.accounts import Role, parse_role
from gnomon.model.sentences import say
from gnomon.queries.accounts.provider_accounts import ClaimRules

CALLBACK_PATH = "/auth/oidc/callback"


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """How people log in at an identity provider."""

    issuer: str
    client_id: str
    client_secret: str
    scopes: str
    redirect_url: str
    """Empty: the address under which the request came, with CALLBACK_PATH."""
    button: str
    leeway_s: float
    rules: ClaimRules


def read_oidc_settings(cfg: Config) -> OidcSettings | None:
    """The settings; None without [oidc] issuer. Raises OptionError."""
    issuer = cfg.text("oidc", "issuer").strip()
    if not issuer:
        return None
    _check_issuer(cfg, issuer)
    if find_spec("authlib") is None or find_spec("requests") is None:
        raise OptionError(say("packages_of_oidc_are_missing", source=cfg.source("oidc", "issuer")))
    client_id = cfg.text("oidc", "client_id")
    if not client_id:
        raise OptionError(say("client_id_is_missing", source=cfg.source("oidc", "issuer")))
    default_role = cfg.text("oidc", "default_role").strip()
    rules = ClaimRules(
        issuer=issuer,
        name_claim=cfg.text("oidc", "name_claim"),
        role_claim=cfg.text("oidc", "role_claim"),
        roles=_read_roles(cfg),
        default_role=_read_role(cfg, "default_role", default_role) if default_role else None,
        links_existing=cfg.boolean("oidc", "link_existing"),
    )
    return OidcSettings(
        issuer=issuer,
        client_id=client_id,
        client_secret=cfg.text("oidc", "client_secret"),
        scopes=cfg.text("oidc", "scopes"),
        redirect_url=cfg.text("oidc", "redirect_url"),
        button=cfg.text("oidc", "button"),
        leeway_s=cfg.number("oidc", "leeway"),
        rules=rules,
    )


def _check_issuer(cfg: Config, issuer: str) -> None:
    parts = urlsplit(issuer)
    host = parts.hostname or ""
    if parts.scheme == "https" and host:
        return
    if parts.scheme != "http" or not (host == "localhost" or is_loopback(host)):
        raise OptionError(say("issuer_is_not_safe", source=cfg.source("oidc", "issuer"), issuer=issuer))


def _read_roles(cfg: Config) -> dict[str, Role]:
    roles = {}
    for entry in filter(None, (part.strip() for part in cfg.text("oidc", "roles").split(","))):
        value, separator, name = entry.rpartition("=")
        if not separator or not value.strip():
            raise OptionError(say("role_of_value_is_missing", source=cfg.source("oidc", "roles"), text=entry))
        roles[value.strip()] = _read_role(cfg, "roles", name.strip())
    return roles


def _read_role(cfg: Config, option: str, name: str) -> Role:
    try:
        return parse_role(name)
    except ValueError as error:
        raise OptionError(
            say("option_of_oidc_is_wrong", option=option, source=cfg.source("oidc", option), error=str(error))
        ) from None
