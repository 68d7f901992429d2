"""Retry policies: what happens after a failed try, decided in the task's process from the exception."""

from __future__ import annotations

import importlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum
from typing import Any

log = logging.getLogger("gnomon.task")

ExceptionKind = type[BaseException] | str
"""An exception class, or its import path, for example `requests.exceptions.HTTPError`."""


class RetryAction(Enum):
    """What happens after a failed try."""

    RETRY = "retry"
    """Another try, if `retries` allows one: a policy cannot add tries."""
    FAIL = "fail"
    """The task fails at once."""
    DEFAULT = "default"
    """As without a policy."""


@dataclass(frozen=True)
class RetryDecision:
    """The answer of a policy. `retry_delay` None: the delay of the task; `reason` stands in the log and with the task instance."""

    action: RetryAction = RetryAction.DEFAULT
    retry_delay: timedelta | None = None
    reason: str | None = None

    @classmethod
    def fail(cls, reason: str | None = None) -> RetryDecision:
        """No further try."""
        return cls(RetryAction.FAIL, None, reason)

    @classmethod
    def retry(cls, delay: timedelta | None = None, reason: str | None = None) -> RetryDecision:
        """Another try, after `delay` if it is given."""
        return cls(RetryAction.RETRY, delay, reason)

    @classmethod
    def default(cls) -> RetryDecision:
        """As without a policy."""
        return cls()


class RetryPolicy(ABC):
    """Decides after each failed try that another may follow. A subclass defines `evaluate`."""

    @abstractmethod
    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        """The decision after try `try_number`, from 1, of which `max_tries` may be repeated.

        It is not asked after AirflowFailException and AirflowSensorTimeout, nor after the last try.
        """

    def serialize(self) -> dict[str, Any]:
        """The policy as JSON; only a policy that other programs read needs this."""
        raise NotImplementedError(f"{type(self).__name__} has no serialize()")

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> RetryPolicy:
        """The policy of that JSON."""
        raise NotImplementedError(f"{cls.__name__} has no deserialize()")


@dataclass
class RetryRule:
    """What happens after certain exceptions: of a class, an import path, or a list of them.

    `match_subclasses` False: only the class itself. Raises ValueError for a text that is no import path, TypeError for another action than
    a RetryAction.
    """

    exception: ExceptionKind | list[ExceptionKind]
    action: RetryAction = RetryAction.RETRY
    retry_delay: timedelta | None = None
    reason: str | None = None
    match_subclasses: bool = True

    def __post_init__(self) -> None:
        _check_action("RetryRule: action", self.action)
        for kind in self._kinds():
            if isinstance(kind, str) and "." not in kind.strip("."):
                raise ValueError(
                    f"RetryRule: exception {kind!r} is not an import path; write for example 'builtins.ValueError', or give the class"
                )

    @property
    def exception_path(self) -> str:
        """The import paths of the exceptions, separated by commas."""
        return ",".join(map(_path_of, self._kinds()))

    def matches(self, exc: BaseException) -> bool:
        """Whether the rule applies to this exception. A class that cannot be imported matches nothing, which the log says."""
        kinds = tuple(exception_class for kind in self._kinds() if (exception_class := _load_kind(kind)) is not None)
        return isinstance(exc, kinds) if self.match_subclasses else type(exc) in kinds

    def serialize(self) -> dict[str, Any]:
        """The rule as JSON."""
        paths = [_path_of(kind) for kind in self._kinds()]
        data: dict[str, Any] = {
            "exception": paths[0] if len(paths) == 1 else paths,
            "action": self.action.value,
            "match_subclasses": self.match_subclasses,
        }
        if self.retry_delay is not None:
            data["retry_delay"] = self.retry_delay.total_seconds()
        if self.reason is not None:
            data["reason"] = self.reason
        return data

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> RetryRule:
        """The rule of that JSON."""
        delay = data.get("retry_delay")
        return cls(
            data["exception"],
            RetryAction(data["action"]),
            None if delay is None else timedelta(seconds=delay),
            data.get("reason"),
            data.get("match_subclasses", True),
        )

    def _kinds(self) -> list[ExceptionKind]:
        return self.exception if isinstance(self.exception, list) else [self.exception]


class ExceptionRetryPolicy(RetryPolicy):
    """The first rule that matches the exception decides; without one, `default`."""

    def __init__(self, rules: Sequence[RetryRule], default: RetryAction = RetryAction.DEFAULT) -> None:
        """Raises TypeError if `default` is not a RetryAction."""
        _check_action("ExceptionRetryPolicy: default", default)
        self.rules = list(rules)
        self.default = default

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        for rule in self.rules:
            if rule.matches(exception):
                return RetryDecision(
                    rule.action, rule.retry_delay, rule.reason or f"Matched rule for {type(exception).__name__}"
                )
        return RetryDecision(self.default)

    def serialize(self) -> dict[str, Any]:
        return {
            "__type": type(self).__name__,
            "rules": [rule.serialize() for rule in self.rules],
            "default": self.default.value,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> ExceptionRetryPolicy:
        return cls([RetryRule.deserialize(rule) for rule in data["rules"]], RetryAction(data.get("default", "default")))


class ChainRetryPolicy(RetryPolicy):
    """Policies in an order: the first decision other than DEFAULT counts, and its reason names the policies that were asked.

    A policy that raises an Exception, or that returns something else than a RetryDecision, is logged and decides nothing. The class is of
    Airflow 3.4; `airflow.providers.common.compat` has it for Airflow 3.3.
    """

    def __init__(self, policies: Sequence[RetryPolicy]) -> None:
        """Raises TypeError for something that is no sequence of policies, ValueError for none."""
        if isinstance(policies, RetryPolicy):
            raise TypeError(f"ChainRetryPolicy: policies is one {type(policies).__name__}; give a list of policies")
        self.policies = [
            _check_policy(f"ChainRetryPolicy: policies[{position}]", policy) for position, policy in enumerate(policies)
        ]
        if not self.policies:
            raise ValueError("ChainRetryPolicy: policies is empty; give at least one policy")

    def evaluate(self, exception: BaseException, try_number: int, max_tries: int, context: Any = None) -> RetryDecision:
        before: list[str] = []
        for policy in self.policies:
            name = type(policy).__name__
            try:
                decision: object = policy.evaluate(
                    exception=exception, try_number=try_number, max_tries=max_tries, context=context
                )
            except Exception as error:
                log.exception("%s raised an exception, so the next policy decides", name)
                before.append(f"{name}: raised {type(error).__name__}")
                continue
            if not isinstance(decision, RetryDecision):
                log.error("%s returned %r, not a RetryDecision, so the next policy decides", name, decision)
                before.append(f"{name}: invalid decision")
            elif decision.action is RetryAction.DEFAULT:
                before.append(f"{name}: {decision.reason or 'no decision'}")
            else:
                after = f" (after {'; '.join(before)})" if before else ""
                return replace(decision, reason=f"{name}: {decision.reason or decision.action.value}{after}")
        return RetryDecision(reason=f"no policy decided ({'; '.join(before)})")


def check_retry_policy(name: str, value: Any) -> RetryPolicy:
    """Check the argument `retry_policy` of a task. Raises TypeError for something that cannot decide."""
    if isinstance(value, RetryPolicy):
        return value
    type_name = value.__name__ if isinstance(value, type) else type(value).__name__
    raise TypeError(
        f"{name} is {type_name}, not a RetryPolicy; give an object of ExceptionRetryPolicy or of a class of your own derived from RetryPolicy"
    )


def _check_policy(name: str, policy: object) -> RetryPolicy:
    if not isinstance(policy, RetryPolicy):
        raise TypeError(f"{name} is {type(policy).__name__}, not a RetryPolicy")
    return policy


def _check_action(name: str, value: object) -> None:
    if not isinstance(value, RetryAction):
        raise TypeError(
            f"{name} is {value!r}, not a RetryAction; give RetryAction.RETRY, RetryAction.FAIL or RetryAction.DEFAULT"
        )


def _path_of(kind: ExceptionKind) -> str:
    return kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"


def _load_kind(kind: ExceptionKind) -> type[BaseException] | None:
    if not isinstance(kind, str):
        return kind
    module, _, name = kind.rpartition(".")
    try:
        exception_class: type[BaseException] = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        log.warning("RetryRule: exception class %s cannot be imported, so the rule matches nothing: %s", kind, error)
        return None
    return exception_class
