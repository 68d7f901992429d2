"""Triggers as authors write them, good and bad; each home of these tests has them in its plugins folder."""

TRIGGERS = '''
import asyncio, os, subprocess, sys, time, warnings
from pathlib import Path
from airflow.triggers.base import BaseTrigger, TaskFailedEvent, TaskSkippedEvent, TaskSuccessEvent, TriggerEvent


class Noted(BaseTrigger):
    """Writes what is called into a file."""

    def __init__(self, notes=None, **kwargs):
        super().__init__()
        self.notes, self.kwargs = notes, kwargs

    def serialize(self):
        return f"authored.{type(self).__name__}", {"notes": self.notes, **self.kwargs}

    def note(self, text):
        if self.notes:
            with open(self.notes, "a") as file:
                file.write(text + "\\n")

    async def cleanup(self):
        self.note("cleanup")

    async def on_kill(self):
        self.note("on_kill")


class Nap(Noted):
    async def run(self):
        self.note("run")
        await asyncio.sleep(self.kwargs.get("seconds", 0))
        yield TriggerEvent(self.kwargs.get("payload"))


class Until(Noted):
    async def run(self):
        await asyncio.sleep(self.kwargs["at"] - time.time())
        yield TriggerEvent(1)


class Waits(Noted):
    """Until somebody makes a file."""

    async def run(self):
        self.note("run")
        while not os.path.exists(self.kwargs["go"]):
            await asyncio.sleep(0.02)
        yield TriggerEvent(1)


class SlowKill(Nap):
    async def on_kill(self):
        self.note("begins")
        await asyncio.sleep(600)
        self.note("ends")


class KillEndsProcess(Nap):
    """Its host ends in `on_kill`, the first time or each time."""

    async def on_kill(self):
        told = self.kwargs["told"]
        self.note("on_kill")
        if self.kwargs["always"] or not os.path.exists(told):
            Path(told).touch()
            os._exit(9)


class Stubborn(Noted):
    async def run(self):
        self.note("run")
        while True:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                self.note("ignored")
        yield


class Twice(Noted):
    async def run(self):
        yield TriggerEvent(1)
        self.note("went on")
        yield TriggerEvent(2)


class Success(Noted):
    async def run(self):
        yield TaskSuccessEvent(xcoms={"key": [1, (2,)]})


class Failure(Noted):
    async def run(self):
        yield TaskFailedEvent()


class Skip(Noted):
    async def run(self):
        yield TaskSkippedEvent()


class RaisesOddly(Noted):
    async def run(self):
        raise ValueError("caf" + chr(0xDCE9) + " and " + chr(0))
        yield


class Raises(Noted):
    async def run(self):
        raise ValueError("the far end hung up")
        yield


class EndsItsProcess(Noted):
    """Its host ends as soon as it runs."""

    async def run(self):
        os._exit(9)
        yield


class Exits(Noted):
    async def run(self):
        sys.exit(3)
        yield


class Clocked(Noted):
    """Tells when it was due, and when it went on."""

    async def run(self):
        loop = asyncio.get_running_loop()
        due = loop.time() + self.kwargs["seconds"]
        await asyncio.sleep(self.kwargs["seconds"])
        yield TriggerEvent([due, loop.time()])


class Holds(Noted):
    """Tells from when to when it held up the loop."""

    async def run(self):
        begun = time.monotonic()
        time.sleep(self.kwargs["seconds"])
        yield TriggerEvent([begun, time.monotonic()])


class Empty(Noted):
    async def run(self):
        return
        yield


class Wrong(Noted):
    async def run(self):
        yield {"not": "an event"}


class Coroutine(Noted):
    async def run(self):
        return TriggerEvent(1)


class BadInit(Nap):
    def __init__(self, **kwargs):
        raise KeyboardInterrupt("in __init__")


class BadCleanup(Nap):
    async def cleanup(self):
        raise SystemExit("in cleanup")


class Cancelled(Noted):
    async def run(self):
        raise asyncio.CancelledError
        yield


class Blocks(Noted):
    async def run(self):
        time.sleep(self.kwargs["seconds"])
        yield TriggerEvent("woke")


class BlocksUntil(Noted):
    """Until somebody makes a file."""

    async def run(self):
        while not os.path.exists(self.kwargs["go"]):
            time.sleep(self.kwargs["pause"])
        yield TriggerEvent("woke")


class EndsProcess(Noted):
    async def run(self):
        await asyncio.sleep(0.05)
        os._exit(9)
        yield


class StartsAnother(Noted):
    """A process that would outlive its host, which ends."""

    async def run(self):
        import subprocess
        if not os.path.exists(self.notes):
            self.note(str(subprocess.Popen(["sleep", "600"]).pid))
            os._exit(9)
        yield TriggerEvent(1)


class Forks(Noted):
    """Tells how its copy ended, which did not leave and came back to the loop."""

    async def run(self):
        copy = os.fork()
        await asyncio.sleep(self.kwargs["pause"])
        self.note("went on")
        yield TriggerEvent(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]))


class ForkRaises(Noted):
    async def run(self):
        copy = os.fork()
        if copy == 0:
            raise ValueError("only the fork fails")
        yield TriggerEvent(os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]))


class Terminates(Noted):
    """Starts processes and ends them, as `multiprocessing.Pool` does."""

    async def run(self):
        import multiprocessing
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(abs, [-1, -2])
        process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
        process.start()
        process.terminate()
        process.join()
        program = await asyncio.create_subprocess_exec("sleep", "600")
        program.terminate()
        yield TriggerEvent([found, process.exitcode, await program.wait()])


class Reconfigures(Noted):
    async def run(self):
        import logging.config
        logging.config.dictConfig({"version": 1, "disable_existing_loggers": True, "root": {"handlers": []}})
        raise ValueError("after dictconfig")
        yield


class NoText(Noted):
    async def run(self):
        class E(Exception):
            def __str__(self):
                raise ValueError("no str")
        raise ExceptionGroup("all", [E()]) if self.kwargs.get("group") else E()
        yield


class Speaks(Noted):
    async def run(self):
        print("said aloud")
        print("said to standard error", file=sys.stderr)
        warnings.warn("warned of")
        subprocess.run(["true"], stdout=sys.stdout, stderr=sys.stderr, check=True)
        import logging
        logging.getLogger("mine").warning("logged by %s", self.task_instance.task_id)
        yield TriggerEvent(sorted(name for name in sys.modules if name.startswith(("gnomon.storage.store", "sqlite3", "sqlalchemy", "psycopg"))))


class Environment(Noted):
    async def run(self):
        yield TriggerEvent([name for name in os.environ if "SQL_ALCHEMY" in name or "FERNET" in name])
'''
