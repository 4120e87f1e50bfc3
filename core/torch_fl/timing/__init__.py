"""Times of one call on several lanes, each in a process of its own.

`specs` says what a call is made of, `child` makes and times it, `pairs` runs the children and compares, `conf` writes
routes that follow from it. `torch-fl ab` and `torch-fl tune` (docs/measuring.md) are the ways in.
"""
