"""Templates in the fields of tasks. `templater` is the base class of objects with template fields: open it first. `rendering` renders with Jinja
and is imported when a template is rendered.
"""
