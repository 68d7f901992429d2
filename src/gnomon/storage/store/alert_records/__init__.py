"""Alerts: facts that owners record, alerts that rules raise, and messages to channels.

Only the monitor writes alerts and messages, in `Database.monitor_write`.
"""
