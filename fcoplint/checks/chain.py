"""The digest chain (FC953): do the receipts of a TASK lead from its creation to its file? (F4.9.4)"""

from __future__ import annotations

from collections.abc import Iterator

from fcoplint.checks.registry import V4, rule
from fcoplint.findings import Finding, Related, on
from fcoplint.model.chain import Chain, Link
from fcoplint.model.envelope import Task
from fcoplint.model.location import Location


@rule("FC953", versions=V4)
def digest_chain_broken(task: Task) -> Iterator[Finding]:
    facts = task.workspace.facts
    # A TASK in two stages is FC203's: which of the copies the receipts speak of, a person decides.
    creates, receipts = facts.creates_of(task), facts.receipts_of(task)
    if not (creates or receipts) or len(task.workspace.named(task.stem)) > 1 or task.fields is None:
        return
    chain = Chain(task, creates, receipts)
    for link in chain.links:
        yield from _of_link(task, link)
    for receipt in chain.unmatched:
        event = receipt.event
        yield on(
            task, "FC953", task.pair("transitions") or task.top, about=receipt.stem, message="no-event",
            related=(Related(Location(receipt.path), "the receipt"),), receipt=receipt.stem, source=receipt.text("from_stage"),
            target=receipt.text("to_stage"), at=str(event.get("at")),
        )  # fmt: skip
    if chain.end is not None and chain.found is not None and chain.end != chain.found:
        message = "default" if chain.links else "created"
        yield on(task, "FC953", task.top, about="end", message=message, written=chain.end, found=chain.found)


def _of_link(task: Task, link: Link) -> Iterator[Finding]:
    """What is wrong with the receipt of one event."""
    number = link.event.number
    if link.receipt is None:
        # One that cannot be read may be the one that is missing: FC951 speaks of that.
        if task.workspace.facts.is_whole:
            yield _on_event(task, link, about=link.event.identity, message="no-receipt")
        return
    if link.differs:
        yield _on_event(task, link, about=f"{number} differs", message="differs", keys=", ".join(sorted(_differing(link))))
    if link.is_broken:
        found, written = link.receipt.text("source_digest") or "no digest", link.before
        yield _on_event(task, link, about=f"{number} link", message="link", found=found, written=written)


def _on_event(task: Task, link: Link, *, about: str, message: str, **parameters: object) -> Finding:
    when = "" if link.receipt else "no receipt"
    related = (Related(Location(link.receipt.path, link.receipt.span("transition")), "the receipt"),) if link.receipt else ()
    source, target = link.event.source or "null", link.event.target or "null"
    parameters |= {"source": source, "target": target}
    location = task.at(link.event.first_line)
    return Finding("FC953", location, task.stem, about, message, when, parameters, related, task.workspace.root)


def _differing(link: Link) -> set[str]:
    """The keys that an event and its receipt tell otherwise."""
    said, told = link.event.values, link.receipt.event if link.receipt else {}
    assert isinstance(said, dict)
    return {key for key in {*said, *told} if said.get(key) != told.get(key)}
