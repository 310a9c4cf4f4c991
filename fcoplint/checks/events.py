"""Events (FC3): how did it get here? The transitions list as evidence (protocol.md A.4, B.5)."""
