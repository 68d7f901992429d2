"""How processes find one another and hand work over: leases and heartbeats, mail to owners, quarantine, attempts of workers without a database.

Open `leases.py` first (FENCE and TAKE_OVER in docs/contributing/ownership.md), then `mailbox.py` (REQUEST).
"""
