"""The only part that changes anything: so far, a repository's hooks."""
