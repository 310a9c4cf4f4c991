"""Evidence (FC5): on what grounds? REPORTs, references, parents (protocol.md A.6)."""
