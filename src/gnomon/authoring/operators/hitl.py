"""Operators that ask a person: choose options, approve, choose a branch, enter values."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode, urlsplit, urlunsplit

from gnomon.authoring.operators.hitl_errors import HITLRejectException, HITLTimeoutError, HITLTriggerEventError
from gnomon.authoring.operators.triggers.hitl_trigger import HITLTriggerEventSuccessPayload
from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.arguments.params import ParamsDict
from gnomon.authoring.sdk.arguments.timezone import utcnow
from gnomon.authoring.sdk.runtime.human_input import HITLUser, upsert_hitl_detail
from gnomon.authoring.sdk.runtime.notifier import BaseNotifier
from gnomon.authoring.sdk.tasks.branching import BranchMixIn, SkipMixin
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.ground.config import current_config
from gnomon.model.errors.authoring import AirflowProviderDeprecationWarning, ParamValidationError, TaskAwaitingInput
from gnomon.model.instants import add_span


class HITLOperator(BaseOperator):
    """Asks a person to choose among `options`, and to enter values for `params`; waits without a worker for the answer.

    `defaults` are taken when nobody answers within `response_timeout`; without defaults the task then fails. `notifiers` are
    called when the question is asked. Only `assigned_users` may answer, everybody if there are none.
    """

    template_fields: ClassVar[Collection[str]] = ("subject", "body")

    def __init__(
        self,
        *,
        subject: str,
        options: list[str],
        body: str | None = None,
        defaults: str | list[str] | None = None,
        multiple: bool = False,
        params: ParamsDict | dict[str, Any] | None = None,
        notifiers: Sequence[BaseNotifier] | BaseNotifier | None = None,
        assigned_users: HITLUser | list[HITLUser] | None = None,
        respondents: HITLUser | list[HITLUser] | None = None,
        response_timeout: dt.timedelta | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if self.execution_timeout is not None and response_timeout is None:
            warnings.warn(
                f"Task {self.task_id!r}: execution_timeout of a {type(self).__name__} limits the wait for the answer. Use `response_timeout` instead.",
                AirflowProviderDeprecationWarning,
                stacklevel=2,
            )
            response_timeout, self.execution_timeout = self.execution_timeout, None
        self.response_timeout = response_timeout
        self.subject = subject
        self.body = body
        self.options = options
        self.defaults = [defaults] if isinstance(defaults, str) else defaults
        self.multiple = multiple
        try:
            self.params = params if isinstance(params, ParamsDict) else ParamsDict(params or {})
        except ParamValidationError as error:
            raise ParamValidationError(f"Task {self.task_id!r}{format_location(self._location)}: {error}") from None
        self.notifiers = [notifiers] if isinstance(notifiers, BaseNotifier) else list(notifiers or ())
        users = assigned_users if assigned_users is not None else respondents
        self.assigned_users = [users] if isinstance(users, dict) else users
        self.validate_options()
        self.validate_params()
        self.validate_defaults()
        self.hitl_summary_extra: dict[str, Any] = {}

    @property
    def hitl_summary(self) -> dict[str, Any]:
        """The question as a dict, for observers; subclasses add to `hitl_summary_extra`."""
        return {
            "subject": self.subject,
            "body": self.body,
            "options": self.options,
            "defaults": self.defaults,
            "multiple": self.multiple,
            "assigned_users": self.assigned_users,
            "serialized_params": self.serialized_params or None,
            **self.hitl_summary_extra,
        }

    @property
    def serialized_params(self) -> dict[str, dict[str, Any]]:
        """The params as plain data."""
        return {name: {**self.params.get_param(name).serialize(), "source": "task"} for name in self.params}

    def validate_options(self) -> None:
        """Raise ValueError when there is no option."""
        if not self.options:
            raise ValueError(
                f'Task {self.task_id!r}{format_location(self._location)}: "options" cannot be empty. Give at least one text.'
            )

    def validate_params(self) -> None:
        """Raise ValueError for a param named `_options`, which a form uses for the options."""
        if "_options" in self.params:
            raise ValueError(
                f'Task {self.task_id!r}{format_location(self._location)}: "_options" is not allowed in params: the form has the options under that name. Rename the param.'
            )

    def validate_defaults(self) -> None:
        """Raise ValueError for a default that is no option, and for several defaults without `multiple`."""
        if self.defaults is None:
            return
        if not set(self.defaults) <= set(self.options):
            raise ValueError(
                f'Task {self.task_id!r}{format_location(self._location)}: defaults "{self.defaults}" should be a subset of options "{self.options}"'
            )
        if not self.multiple and len(self.defaults) > 1:
            raise ValueError(
                f'Task {self.task_id!r}{format_location(self._location)}: More than one defaults given when "multiple" is set to False. Give one, or multiple=True.'
            )

    def execute(self, context: Any) -> Any:
        """Ask the question, call the notifiers, and wait; the task resumes in `execute_complete`."""
        upsert_hitl_detail(
            ti_id=context["ti"].id,
            options=self.options,
            subject=self.subject,
            body=self.body,
            defaults=self.defaults,
            multiple=self.multiple,
            params=self.serialized_params,
            assigned_users=self.assigned_users,
        )
        until = None if self.response_timeout is None else add_span(utcnow(), self.response_timeout)
        self.hitl_summary_extra["timeout_datetime"] = None if until is None else until.isoformat()
        self.log.info("Waiting for response")
        for notifier in self.notifiers:
            notifier(context)
        raise TaskAwaitingInput(method_name="execute_complete", timeout=self.response_timeout)

    def execute_complete(self, context: Any, event: dict[str, Any]) -> Any:
        """Return the answer: chosen_options, params_input, responded_at and responded_by_user."""
        if "error" in event:
            self.hitl_summary_extra["error_type"] = event["error_type"]
            self.process_trigger_event_error(event)
        chosen, entered = event["chosen_options"], event["params_input"] or {}
        self.validate_chosen_options(chosen)
        self.validate_params_input(entered)
        user, at = event["responded_by_user"], event["responded_at"]
        self.hitl_summary_extra.update(
            chosen_options=chosen, params_input=entered, responded_at=at.isoformat(), responded_by_user=user
        )
        return HITLTriggerEventSuccessPayload(
            chosen_options=chosen, params_input=entered, responded_at=at, responded_by_user=user
        )

    def process_trigger_event_error(self, event: dict[str, Any]) -> None:
        """Raise HITLTimeoutError when nobody answered in time, HITLTriggerEventError for another error."""
        raise HITLTimeoutError(event) if event["error_type"] == "timeout" else HITLTriggerEventError(event)

    def validate_chosen_options(self, chosen_options: list[str]) -> None:
        """Raise ValueError for a choice that is no option."""
        if unknown := set(chosen_options) - set(self.options):
            raise ValueError(
                f"Responses {unknown} not in {self.options}; choose among these options of task {self.task_id!r}"
            )

    def validate_params_input(self, params_input: Mapping[str, Any]) -> None:
        """Raise ValueError for other names than those of the params, ParamValidationError for a value that does not fit."""
        if self.params and params_input and set(self.params) != set(params_input):
            raise ValueError(
                f"params_input {params_input} does not match params {self.params}; give a value for each of {', '.join(self.params)}"
            )
        for name, value in params_input.items():
            self.params[name] = value

    def generate_link_to_ui(
        self,
        *,
        task_instance: Any,
        base_url: str | None = None,
        options: str | list[str] | None = None,
        params_input: dict[str, Any] | None = None,
    ) -> str:
        """Return the address of the page that asks for the answer. Raises ValueError without a base URL, or for unknown names."""
        query: dict[str, Any] = {}
        chosen = [options] if isinstance(options, str) else options
        if chosen:
            if unknown := set(chosen) - set(self.options):
                raise ValueError(f"options {unknown} are not valid options; task {self.task_id!r} has {self.options}")
            query["_options"] = chosen
        if params_input:
            if unknown := set(params_input) - set(self.params):
                raise ValueError(
                    f"params {unknown} are not valid params; task {self.task_id!r} has {list(self.params)}"
                )
            query.update(params_input)
        base_url = base_url or current_config().get("api", "base_url", fallback="")
        if not base_url:
            raise ValueError("Not able to retrieve base_url: set [api] base_url")
        query["map_index"] = task_instance.map_index
        base = urlsplit(base_url)
        path = (
            f"/dags/{task_instance.dag_id}/runs/{task_instance.run_id}/tasks/{task_instance.task_id}/required_actions"
        )
        return urlunsplit((base.scheme, base.netloc, path, urlencode(query), ""))

    @staticmethod
    def generate_link_to_ui_from_context(
        *,
        context: Any,
        base_url: str | None = None,
        options: list[str] | None = None,
        params_input: dict[str, Any] | None = None,
    ) -> str:
        """As `generate_link_to_ui`, for the task and task instance of a context."""
        link: str = context["task"].generate_link_to_ui(
            task_instance=context["task_instance"], base_url=base_url, options=options, params_input=params_input
        )
        return link


class ApprovalOperator(HITLOperator, SkipMixin):
    """Asks a person to approve or to reject. A rejection skips the tasks after it, or fails the task with `fail_on_reject`.

    With `ignore_downstream_trigger_rules` all tasks after it are skipped; without, the direct downstream tasks are skipped and
    the trigger rules decide for the other tasks.
    """

    inherits_from_skipmixin = True
    FIXED_ARGS: ClassVar[list[str]] = ["options", "multiple"]
    APPROVE = "Approve"
    REJECT = "Reject"

    def __init__(
        self, *, ignore_downstream_trigger_rules: bool = False, fail_on_reject: bool = False, **kwargs: Any
    ) -> None:
        for name in self.FIXED_ARGS:
            if name in kwargs:
                raise ValueError(
                    f"Passing {name} to ApprovalOperator is not allowed: its options are Approve and Reject{format_location(find_author_location())}. "
                    f"Leave {name}= out, or use HITLOperator."
                )
        super().__init__(options=[self.APPROVE, self.REJECT], multiple=False, **kwargs)
        self.ignore_downstream_trigger_rules = ignore_downstream_trigger_rules
        self.fail_on_reject = fail_on_reject
        self.hitl_summary_extra.update(
            ignore_downstream_trigger_rules=ignore_downstream_trigger_rules, fail_on_reject=fail_on_reject
        )

    def execute_complete(self, context: Any, event: dict[str, Any]) -> Any:
        answer = super().execute_complete(context, event)
        approved = answer["chosen_options"][0] == self.APPROVE
        self.hitl_summary_extra["approved"] = approved
        if approved:
            self.log.info("Approved. Proceeding with downstream tasks...")
            return answer
        if self.fail_on_reject:
            raise HITLRejectException('Receive "Reject"')
        self.log.info("Rejected. Skipping downstream tasks")
        tasks = self.get_flat_relatives() if self.ignore_downstream_trigger_rules else self.downstream_list
        if tasks:
            self.skip(ti=context["ti"], tasks=tasks)
        return answer


class HITLBranchOperator(HITLOperator, BranchMixIn):
    """Follows the tasks of the chosen options, and skips the other tasks directly after it.

    An option is the id of a task or group, or `options_mapping` has the id for it.
    """

    inherits_from_skipmixin = True

    def __init__(self, *, options_mapping: dict[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.options_mapping = options_mapping or {}
        self.validate_options_mapping()
        self.hitl_summary_extra["options_mapping"] = self.options_mapping

    def _describe_options(self) -> str:
        return f" (task {self.task_id!r}{format_location(self._location)}; its options are {self.options}). Map options to ids of tasks or groups."

    def validate_options_mapping(self) -> None:
        """Raise ValueError for a key that is no option, and for a value that is no text."""
        unknown = sorted(set(self.options_mapping) - set(self.options))
        if unknown:
            raise ValueError(
                f"`options_mapping` contains keys that are not in `options`: {unknown}{self._describe_options()}"
            )
        wrong = {
            key: (value, type(value).__name__)
            for key, value in self.options_mapping.items()
            if not isinstance(value, str)
        }
        if wrong:
            raise ValueError(
                f"`options_mapping` values must be strings (task_ids).\nInvalid entries: {wrong}{self._describe_options()}"
            )

    def execute_complete(self, context: Any, event: dict[str, Any]) -> Any:
        answer = super().execute_complete(context, event)
        chosen = [self.options_mapping.get(option, option) for option in answer["chosen_options"]]
        self.hitl_summary_extra["branches_to_execute"] = chosen
        return self.do_branch(context, chosen)


class HITLEntryOperator(HITLOperator):
    """Asks a person to enter values for `params`; without options the only one is OK, which is the default too."""

    OK = "OK"

    def __init__(self, **kwargs: Any) -> None:
        if "options" not in kwargs:
            kwargs["options"] = [self.OK]
            kwargs.setdefault("defaults", [self.OK])
        super().__init__(**kwargs)
