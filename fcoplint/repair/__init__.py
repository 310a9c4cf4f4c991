"""The only part that changes anything: hooks, the safe transition, new envelopes, recovery, relocation (design.md 10)."""
