"""Processes of one machine: how they start, what they set up, how they talk, how they end, and how their end is described.

Author code runs in four kinds of processes: parse children (`gnomon.services.dagfiles`), zygotes and their children
(`gnomon.services.worker`, `gnomon.author_code.runner`), timetable hosts (`gnomon.author_code.timetable_host`) and trigger hosts (`gnomon.services.triggerer`).
A fork that author code makes of one of them is none of them: `author_forks.py`. Each keeps its own protocol; this package holds the rest. Open `host_process.py` first for the parent's side and
`child_setup.py` for the child's. Messages: `message_stream.py` (frames), `packets.py` (packets with descriptors) and
`task_api_messages.py` (requests of author code). Ends: `termination.py`, `exit_reasons.py`, `author_frames.py`.
"""
