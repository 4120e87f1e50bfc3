"""The survey of a lane: every op that the lane has a kernel for, called on the device and compared with the host.

- `inputs`, `opinfos`, `cases`: what an op is called with.
- `moving`, `compare`: arguments on two devices, and results side by side.
- `measure`: the calls of one op, in a process of its own.
- `server`: a process that forks itself for each op, and outlives those that crash or hang.
- `run`: the whole of it; `verdicts`, `record`, `gaps`: what becomes of the results.

`torch-fl survey` (docs/measuring.md) is the way in.
"""
