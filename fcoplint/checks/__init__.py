"""The rules: one module a contract. A rule is a short generator that yields findings and does nothing else."""
