"""Where bytes come from: the working tree, the index, a commit, memory. One Snapshot interface for all."""
