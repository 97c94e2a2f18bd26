"""Finished rollouts of a spade run, for trainers.

`spade serve rollouts RUN` leases them over HTTP; `Client` asks for them, `spade_rl.slime` hands them to slime and
`spade_rl.trl` to TRL. The address is in SPADE_ROLLOUTS, the token of a server that asks for one in SPADE_SERVE_TOKEN.
"""

from spade_rl.client import Client, Exhausted

__all__ = ["Client", "Exhausted"]
