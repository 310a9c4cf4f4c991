"""Authority (FC4): who was allowed to? Governance findings, never "illegal transition" (protocol.md A.4, A.5)."""
