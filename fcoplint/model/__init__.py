"""What was read, located to line and column, without any judgement: front matter, envelopes, manifests, workspaces."""
