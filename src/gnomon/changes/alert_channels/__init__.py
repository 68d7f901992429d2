"""How one message of alerts is sent over one channel of gnomon.toml: e-mail, webhook and Slack in this process, a notifier in a child process.

The monitor sends the messages of alerts, and `gnomon alerts test` a message to try a channel. `channel_senders.py` chooses the way, `messages.py`
writes the texts. No author code runs in the process of the caller.
"""
