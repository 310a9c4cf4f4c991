"""History (FC8): was the past changed? What a change may do to landed envelopes (protocol.md E)."""
