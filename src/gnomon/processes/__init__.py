"""Processes of one machine: new interpreters, how they settle in, what the kernel offers them, their memory, their end."""
