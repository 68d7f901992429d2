"""Which policy a server has: accounts, unless `[api] auth = none` and only programs of this machine reach the server."""

from __future__ import annotations

from collections.abc import Callable, Collection

from gnomon.api.access.accounts_policy import AccountsPolicy
from gnomon.api.access.open_access import OpenAccess
from gnomon.api.context import ApiContext
from gnomon.api.health import HealthSnapshot
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.config import Config, OptionError
from gnomon.ground.config.network_address import is_loopback
from gnomon.model.sentences import say
from gnomon.storage.store.pages.dag_pages import list_newest_versions

_log = log.get_logger("api")


def create_context(cfg: Config, clock: Clock, host: str, read_health: Callable[[], HealthSnapshot]) -> ApiContext:
    """The context of a server that listens on this numeric address. Raises OptionError for `[api] auth = none` where other machines reach it."""
    if cfg.text("api", "auth") == "none":
        if not is_loopback(host):
            raise OptionError(say("open_address_lacks_accounts", source=cfg.source("api", "auth"), host=host))
        _log.warning(
            "api_is_open",
            address=host,
            remedy="everybody on this machine may change everything; set [api] auth to accounts",
        )
        return ApiContext(cfg, clock, OpenAccess(cfg.text("api", "base_url")), read_health)
    context: ApiContext
    policy = AccountsPolicy(lambda: context.authenticator, lambda dag_id: _find_tags(context, dag_id))
    context = ApiContext(cfg, clock, policy, read_health)
    return context


def _find_tags(context: ApiContext, dag_id: str) -> Collection[str]:
    with context.database.read() as tx:
        facts = context.facts.find(tx, list_newest_versions(tx, [dag_id]))
    return next((version_facts.spec.tags for version_facts in facts.values()), ())
