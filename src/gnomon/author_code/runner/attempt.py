"""Runs one attempt in this process, from its context to its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gnomon.author_code.context import build_context, set_task_environment
from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.author_traceback import trim_error
from gnomon.author_code.runner import callbacks
from gnomon.author_code.runner.attempt_results import (
    AttemptOutcome,
    awaiting_input_outcome,
    classify_exception,
    collect_return_xcoms,
    deferred_outcome,
)
from gnomon.author_code.runner.deferral import create_deferral, defer_at_start, defer_mapped_at_start, resume_task
from gnomon.author_code.runner.hitl_deferral import awaits_person, create_hitl_deferral
from gnomon.author_code.runner.mapped_results import measure_return_value, render_map_index
from gnomon.author_code.runner.policy_calls import apply_task_policies
from gnomon.author_code.runner.rendered_values import collect_rendered_fields
from gnomon.author_code.runner.retry_decisions import apply_retry_policy
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.author_code.runner.signals import terminable, time_limit
from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.nodes import authoring_state
from gnomon.ground.clock import Clock, SystemClock
from gnomon.model.assets import AssetEmission
from gnomon.model.attempts import Attempt, AttemptResult, XComItem
from gnomon.model.errors.authoring import (
    AirflowTaskTerminated,
    AirflowTaskTimeout,
    DagRunTriggerException,
    DownstreamTasksSkipped,
    TaskAwaitingInput,
    TaskDeferred,
)
from gnomon.model.instants import SECOND, Instant
from gnomon.model.states import TaskInstanceState
from gnomon.model.storable_text import escape_unstorable

log = RunnerLog("gnomon.task")

_STATES = {
    "success": TaskInstanceState.SUCCESS,
    "failed": TaskInstanceState.FAILED,
    "retry": TaskInstanceState.UP_FOR_RETRY,
    "skipped": TaskInstanceState.SKIPPED,
}
"""Outcome to the state that callbacks read in `ti.state`."""
_SUCCEEDED = AttemptOutcome("success", logs_traceback=False)


def run_attempt(
    dag: Any,
    attempt: Attempt,
    channel: Any,
    on_entered: Callable[[Instant], None] | None = None,
    *,
    clock: Clock | None = None,
    reraised: tuple[type[BaseException], ...] = (),
) -> AttemptResult:
    """Run the attempt and return its result. Never raises what author code raises: the log gets the traceback.

    `channel`: answers requests of author code (`sdk.runtime.channel.Channel`). `on_entered`: called with the current instant right
    before the first line of author code. In the main thread, SIGTERM ends the attempt as failed, after `on_kill`. `clock`: measures the
    times of the result (default: the clock of this machine). `reraised`: exceptions of author code that the caller gets instead of a result.
    """
    return _AttemptExecution(dag, attempt, channel, on_entered, clock or SystemClock(), reraised).run()


class _AttemptExecution:
    """The steps of one attempt and their intermediate results."""

    def __init__(
        self,
        dag: Any,
        attempt: Attempt,
        channel: Any,
        on_entered: Callable[[Instant], None] | None,
        clock: Clock,
        reraised: tuple[type[BaseException], ...],
    ) -> None:
        self._dag = dag
        self._attempt = attempt
        self._channel = channel
        self._on_entered = on_entered
        self._clock = clock
        self._reraised = reraised
        self._task: Any = None
        self._context: Any = None
        self._started_at: Instant | None = None
        self._is_called = False
        """Whether `execute`, or the method that a deferral named, was reached."""
        self._ended_at: Instant | None = None
        self._return_length: int | None = None
        self._rendered_map_index: str | None = None
        self._rendered_fields: str | None = None
        self._asset_events: tuple[AssetEmission, ...] = ()
        """The events that the task asks for with its success."""

    def run(self) -> AttemptResult:
        sdk_channel.install_channel(self._channel)
        attempt_outcome = self._execute_to_outcome()
        if self._attempt.computes_links and self._context is not None:
            self._push_links(attempt_outcome.outcome)
        try:
            with terminable():
                self._run_callbacks(attempt_outcome)
        except AirflowTaskTerminated:
            log.warning("SIGTERM arrived while callbacks ran; the outcome stays %s", attempt_outcome.outcome)
        return self._result(attempt_outcome)

    def _execute_to_outcome(self) -> AttemptOutcome:
        error: BaseException | None = None
        try:
            with terminable():
                self._execute()
        except BaseException as raised:  # the edge of author code: each exception has an outcome
            if issubclass(type(raised), self._reraised):
                raise
            error = raised
        if self._started_at is not None and self._ended_at is None:
            self._ended_at = self._clock.now()
        if error is None:
            return _SUCCEEDED
        error, attempt_outcome = self._classify(error)
        attempt_outcome = self._ask_retry_policy(error, attempt_outcome)
        if (
            self._rendered_map_index is None
            and self._is_called
            and attempt_outcome.outcome in ("failed", "skipped", "success")
        ):
            self._rendered_map_index = self._try_render_map_index()
        if attempt_outcome.logs_traceback:
            log.error("task failed: %s", attempt_outcome.reason, exc_info=trim_error(error))
        elif attempt_outcome.wait is not None:
            log.info("%s", error)
        elif attempt_outcome.outcome == "failed":
            log.error("task failed: %s", attempt_outcome.reason)
        elif attempt_outcome.reason:
            log.info("%s: %s", attempt_outcome.outcome, attempt_outcome.reason)
        if self._context is not None:
            self._context["exception"] = error
        author_forks.end_fork()
        return attempt_outcome

    def _try_render_map_index(self) -> str | None:
        """The name of an instance that did not end as success; an error of its template does not hide why."""
        try:
            with authoring_state.set_current_context(self._context):
                return render_map_index(self._task, self._context)
        except Exception as error:
            log.info("map_index_template was not rendered: %s", error)
            return None

    def _classify(self, error: BaseException) -> tuple[BaseException, AttemptOutcome]:
        """The error and its outcome. For a deferral that is refused, the error is the refusal."""
        if not issubclass(
            type(error), TaskDeferred | TaskAwaitingInput
        ):  # the class of an author's exception may define __class__
            return error, classify_exception(error)
        try:
            if awaits_person(error):
                return error, awaiting_input_outcome(create_hitl_deferral(self._task, error, self._attempt.attempt_id))
            assert isinstance(error, TaskDeferred)
            return error, deferred_outcome(create_deferral(self._task, error, self._attempt.file))
        except Exception as refused:  # author code serializes the trigger
            return refused, classify_exception(refused)

    def _ask_retry_policy(self, error: BaseException, attempt_outcome: AttemptOutcome) -> AttemptOutcome:
        if self._task is None or getattr(self._task, "retry_policy", None) is None:
            return attempt_outcome
        try:
            with terminable():
                return apply_retry_policy(self._task, self._attempt, error, attempt_outcome, self._context)
        except AirflowTaskTerminated:
            return attempt_outcome

    def _execute(self) -> None:
        if self._attempt.kind != "task":
            raise ValueError(f"an attempt of kind {self._attempt.kind!r} is not known in this version")
        task = self._find_task()
        context = self._context = build_context(
            task=task, dag=self._dag, run=self._attempt.run, attempt=self._attempt, channel=self._channel
        )
        set_task_environment(apply_task_policies(context, self._attempt.overrides))
        self._started_at = self._clock.now()
        context["ti"].mark_started(self._started_at if self._attempt.started_at is None else self._attempt.started_at)
        if self._on_entered is not None:
            self._on_entered(self._started_at)
        try:
            with authoring_state.set_current_context(context):
                if self._attempt.calls_listeners:
                    self._call_component_listeners("on_starting")
                    self._call_listeners("running")
                task = self._render(task, context)
                callbacks.run_callbacks(task, "on_execute_callback", context)
                task.pre_execute(context)
                result = self._timed_execute(task, context)
                self._ended_at = self._clock.now()
                task.post_execute(context, result)
                self._rendered_map_index = render_map_index(task, context)
                self._return_length = self._measure(task, result)
                context["ti"].pushed_xcoms.update(collect_return_xcoms(task, result))
            self._collect_asset_events(task, context)
        except DownstreamTasksSkipped as error:
            author_forks.end_fork(error)
            self._collect_asset_events(task, context)
            raise
        except (AirflowTaskTerminated, AirflowTaskTimeout) as error:
            author_forks.end_fork(error)
            self._run_on_kill(task)
            raise

    def _render(self, task: Any, context: Any) -> Any:
        """Render the template fields and return the task to execute: for a mapped task the operator of this map index."""
        if task.is_mapped and self._attempt.resume is None and (task.start_from_trigger or task.maps_start_trigger()):
            defer_mapped_at_start(task, context, self._attempt.file)
        try:
            task.render_template_fields(context)
        except Exception as error:
            if type(error).__name__ != "UndefinedError":
                raise
            from gnomon.author_code.runner.template_rendering import explain_missing_date  # only after an error

            explained = explain_missing_date(error, self._attempt.run)
            if explained is error:
                raise
            raise explained from error
        self._task = task = context["ti"].task
        self._rendered_fields = collect_rendered_fields(task)
        return task

    def _measure(self, task: Any, result: object) -> int | None:
        """The length of the returned value, if a mapped task or group maps over it."""
        resume = self._attempt.resume
        ended_by_trigger = resume is not None and resume.result.outcome == "success"
        return None if ended_by_trigger else measure_return_value(task, result, self._attempt.map_index)

    def _collect_asset_events(self, task: Any, context: Any) -> None:
        if task.outlets:
            self._asset_events = context["ti"].outlet_events.collect_emissions(task.outlets)

    def _find_task(self) -> Any:
        tasks = self._dag.task_dict
        if self._attempt.task_id not in tasks:
            raise LookupError(
                f"DAG {self._attempt.run.dag_id!r} in {self._attempt.file} no longer has a task {self._attempt.task_id!r};"
                " clear the run so that it uses the current version of the file"
            )
        self._task = tasks[self._attempt.task_id].prepare_for_execution()
        return self._task

    def _timed_execute(self, task: Any, context: Any) -> object:
        self._is_called = True
        timeout_s = self._attempt.timeout_s
        if timeout_s is None and task.execution_timeout is not None:
            timeout_s = task.execution_timeout.total_seconds()
        left_s = timeout_s
        if self._attempt.deadline_at is not None:
            left_s = (self._attempt.deadline_at - self._clock.now()) / SECOND
        with time_limit(left_s, f"task {task.task_id!r}", timeout_s):
            return self._call(task, context)

    def _call(self, task: Any, context: Any) -> object:
        """The return value of `execute`, or of the method that a deferral named."""
        if self._attempt.resume is not None:
            return resume_task(task, self._attempt.resume, context)
        if task.start_from_trigger and "_mapped_from" not in task.__dict__:
            defer_at_start(task, context, self._attempt.file)
        try:
            result: object = task.execute(context)
        except DagRunTriggerException as trigger_exception:
            from gnomon.author_code.runner import dag_run_trigger  # start-up cost: few tasks trigger runs

            dag_run_trigger.trigger_dag_run(trigger_exception, context)
            return None
        return result

    def _run_on_kill(self, task: Any) -> None:
        self._ended_at = self._clock.now()
        try:
            task.on_kill()
        except Exception as error:
            author_forks.end_fork(error)
            log.exception("on_kill of task %s failed", task.task_id)
        author_forks.end_fork()

    def _push_links(self, outcome: str) -> None:
        """Push the links of the operator; a mapped task whose arguments could not be read has no operator."""
        from gnomon.author_code.runner import link_calls  # start-up cost: few operators have links

        try:
            with terminable(), authoring_state.set_current_context(self._context):
                if not self._task.is_mapped:
                    link_calls.push_links(self._task, self._context["ti"])
        except AirflowTaskTerminated:
            log.warning("SIGTERM arrived while links were computed; the outcome stays %s", outcome)

    def _run_callbacks(self, attempt_outcome: AttemptOutcome) -> None:
        if self._context is None:
            return
        outcome = attempt_outcome.outcome
        if outcome == "failed" and attempt_outcome.is_retryable and self._attempt.try_number <= self._attempt.max_tries:
            outcome = "retry"
        if self._ended_at is not None:
            self._context["ti"].mark_ended(self._ended_at, _STATES.get(outcome, TaskInstanceState.RUNNING))
        argument = callbacks.CALLBACK_ARGUMENTS.get(outcome)
        if argument is not None:
            with authoring_state.set_current_context(self._context):
                callbacks.run_callbacks(self._task, argument, self._context)
                callbacks.send_mail(self._task, outcome, self._context)
        if self._attempt.calls_listeners:
            self._call_listeners("failed" if outcome == "retry" else outcome)
            self._call_component_listeners("before_stopping")

    def _call_component_listeners(self, hook: str) -> None:
        from gnomon.author_code.runner import listener_calls  # start-up cost: few installations have listeners

        with authoring_state.set_current_context(self._context):
            listener_calls.call_component_listeners(hook)

    def _call_listeners(self, outcome: str) -> None:
        from gnomon.author_code.runner import listener_calls  # start-up cost: few installations have listeners

        previous = TaskInstanceState.QUEUED if outcome == "running" else TaskInstanceState.RUNNING
        with authoring_state.set_current_context(self._context):
            listener_calls.call_task_listeners(outcome, previous, self._context["ti"], self._context.get("exception"))
            if outcome == "success" and self._asset_events:
                listener_calls.call_asset_listeners(self._asset_events, self._task.outlets, self._context["ti"])

    def _collect_xcoms(self) -> tuple[XComItem, ...]:
        """All pushed XComs, those of links and callbacks too, whatever the outcome; of two with one key the last."""
        pushed = {} if self._context is None else self._context["ti"].pushed_xcoms
        return tuple(XComItem(key=key, value=value) for key, value in pushed.items())

    def _result(self, attempt_outcome: AttemptOutcome) -> AttemptResult:
        attempt = self._attempt
        return AttemptResult(
            attempt_id=attempt.attempt_id,
            group_no=attempt.group_no,
            run_pk=attempt.run.run_pk,
            task_no=attempt.task_no,
            map_index=attempt.map_index,
            outcome=attempt_outcome.outcome,
            retryable=attempt_outcome.is_retryable,
            retry_delay_s=attempt_outcome.retry_delay_s,
            started_at=self._started_at,
            ended_at=self._ended_at,
            reason=None if attempt_outcome.reason is None else escape_unstorable(attempt_outcome.reason),
            xcoms=self._collect_xcoms(),
            skip_task_ids=attempt_outcome.skip_task_ids,
            resume_at=attempt_outcome.resume_at,
            wait=attempt_outcome.wait,
            return_length=self._return_length if attempt_outcome.outcome == "success" else None,
            rendered_map_index=self._rendered_map_index,
            rendered_fields=self._rendered_fields,
            asset_events=self._asset_events if attempt_outcome.outcome == "success" else None,
            callbacks_called=self._context is not None,
        )
