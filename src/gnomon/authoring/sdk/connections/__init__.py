"""Connections, Variables and secrets, in files and in running tasks. `channel` is the way to the process that answers requests: open it first.
`secrets_lookup` asks the backends in their order, `secret_masking` hides what was read, `provider_packages` finds hooks of installed packages.
"""
