"""Judgement (FC6): REVIEW, ISSUE, ALERT, INSPECTION (protocol.md A.6, B.3, B.6)."""
