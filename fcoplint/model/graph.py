"""Cycles in a directed graph given by names."""

from collections.abc import Collection, Iterator, Mapping


def find_cycles(edges: Mapping[str, Collection[str]]) -> Iterator[tuple[str, ...]]:
    """Each cycle that a walk from every node meets, once, in the order of its edges from its smallest member on.

    Names that are no key of `edges` lead nowhere. In linear time, and without recursion: a chain may be as long as it likes.
    """
    finished: set[str] = set()
    for start in sorted(edges):
        trail: dict[str, Iterator[str]] = {} if start in finished else {start: iter(edges[start])}
        while trail:
            node = next(reversed(trail))
            following = next(trail[node], None)
            if following is None:
                trail.popitem()
                finished.add(node)
            elif following in trail:
                yield _from_smallest(list(trail)[list(trail).index(following) :])
            elif following in edges and following not in finished:
                trail[following] = iter(edges[following])


def _from_smallest(cycle: list[str]) -> tuple[str, ...]:
    first = cycle.index(min(cycle))
    return (*cycle[first:], *cycle[:first])
