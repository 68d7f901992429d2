"""What every process stands on: the clock, the options, structured logs, metrics, and wake-ups between processes of one host.

From top to bottom: `metrics` and `wakeups`; `clock`, `log` and `config`. May import `model`, and otherwise the standard library (and setproctitle) only,
so that any process can start with it in milliseconds.

An example: `standalone` builds one `Config` and one `SystemClock` and hands both down; a test hands down a `VirtualClock` instead, and no code between
the two knows the difference. Nothing above this layer reads the time, the environment or `gnomon.toml` by itself.
"""
