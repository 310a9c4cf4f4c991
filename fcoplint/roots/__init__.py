"""One root: the read-only probe of every root that a team's tools hold, and the acceptance of a switch (roots.md 5b, 5c)."""
