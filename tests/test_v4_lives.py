"""FCoP 4 as a whole: every lawful life is silent, whoever lives it and when; a dishonest tool is found out though its digests are right."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from fcoplint import engine
from fcoplint.protocol.digests import digest_of
from fcoplint.settings import Settings
from fcoplint.source.snapshot import MemorySnapshot
from tests.support.reference import Reference
from tests.support.workspace4 import PROFILE, Workspace4

SHOWN = ("error", "warning")
# The rules under test; what else a fault entails is their own tests' business.
OURS = ("FC45", "FC55", "FC953", "FC000")
NAMES = [("PM", "DEV"), ("lead", "coder"), ("项目经理", "开发"), ("a.b-c", "R2-D2"), ("José", "Zoë")]


def codes(workspace: Workspace4) -> set[str]:
    report = engine.audit(MemorySnapshot(workspace.files), Settings())
    return {item.rule.code for item in report.findings if item.severity in SHOWN}


def ours(workspace: Workspace4) -> set[str]:
    return {code for code in codes(workspace) if code.startswith(OURS)}


class Life:
    """Random lawful moves of TASKs, alone and in families."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.workspace = Workspace4(f"life {seed}", facts=self.random.random() < 0.8)
        self.workspace.clock += datetime.timedelta(days=self.random.randrange(-900, 10), microseconds=self.random.randrange(9))
        self.lead, self.coder = self.random.choice(NAMES)

    def lived(self) -> Workspace4:
        for _ in range(self.random.randrange(1, 4)):
            if self.random.random() < 0.5:
                self.family()
            else:
                self.task()
        return self.workspace

    def task(self, **relations: str) -> str:
        """A TASK that gets as far as it gets; of a Root's Branch at least to done."""
        made = self.workspace.task("Das Formular bauen: 表单", self.lead, self.coder, **relations)
        if "branch_of" in relations or self.random.random() < 0.7:
            self.work(made, rounds=self.random.randrange(3))
        if "branch_of" not in relations and self.workspace.stages[made] == "done" and self.random.random() < 0.5:
            self.workspace.archive(made, self.workspace.attempt(made), self.lead)
        return made

    def work(self, task: str, rounds: int) -> None:
        """To done, after so many rejections and reopenings."""
        workspace = self.workspace
        attempt = workspace.claim(task, self.coder) if workspace.stages[task] == "inbox" else workspace.attempt(task)
        for _ in range(rounds):
            report = self.report(task, attempt)
            if self.random.random() < 0.5:
                attempt = workspace.reject(task, attempt, report, self.lead)
            else:
                workspace.approve(task, attempt, report, self.lead)
                attempt = workspace.reopen(task, attempt, self.lead)
        workspace.approve(task, attempt, self.report(task, attempt), self.lead)

    def report(self, task: str, attempt: str) -> str:
        """A REPORT, replaced now and then, and submitted."""
        report = self.workspace.report(task, attempt, self.coder, self.lead)
        for _ in range(self.random.choice((0, 0, 1, 2))):
            others = self.random.choice(([], [task]))
            report = self.workspace.report(task, attempt, self.coder, self.lead, report_kind="replacement", references=[report, *others])
        self.workspace.submit(task, report, by=self.coder)
        return report

    def family(self) -> None:
        """A Root with Branches, converged and archived or not; a convergence that was outgrown may lie beside."""
        workspace, random = self.workspace, self.random
        root = workspace.task("Root", self.lead, self.lead)
        attempt = workspace.claim(root, self.lead)
        branches = [self.task(branch_of=root) for _ in range(random.randrange(1, 4))]
        self.work(root, 0)
        if random.random() < 0.3:
            workspace.converge(root)
            changed = random.choice(branches)
            attempt_of = workspace.reopen(changed, workspace.attempt(changed), self.lead)
            workspace.approve(changed, attempt_of, self.report(changed, attempt_of), self.lead)
        if random.random() < 0.7:
            workspace.archive(root, attempt, self.lead, workspace.converge(root))
            for branch in branches:
                if random.random() < 0.5:
                    workspace.archive(branch, workspace.attempt(branch), self.lead)


@pytest.mark.parametrize("seed", range(60))
def test_every_lawful_life_is_silent(seed: int) -> None:
    assert codes(Life(seed).lived()) == set()


VALIDATE = "import sys; from fcop.cli._main import main; sys.exit(main(['validate', '--root', sys.argv[1], '--json']))"


@pytest.mark.parametrize("seed", [seed for seed in range(12) if Life(seed).workspace.facts][:4])
def test_the_reference_finds_no_fault_with_our_lives_either(seed: int, reference: Reference, tmp_path: Path) -> None:
    Life(seed).lived().write(tmp_path)
    answer = json.loads(reference.run(VALIDATE, tmp_path))
    assert answer["data"]["checked"] > 0
    assert (answer["data"]["valid"], answer["data"]["errors"]) == (True, [])


def submitted(workspace: Workspace4) -> tuple[str, str, str]:
    """A TASK in review: it, its attempt, its REPORT."""
    task = workspace.task()
    attempt = workspace.claim(task)
    report = workspace.report(task, attempt)
    workspace.submit(task, report)
    return task, attempt, report


def approved_by(kind: str = "acceptance", decision: str = "approved", **changed: object) -> Callable[[Workspace4], None]:
    """T4 on a REVIEW of which something is not as it must be (None: the key is left out)."""

    def make(workspace: Workspace4) -> None:
        task, attempt, report = submitted(workspace)
        said = {**workspace.authority("review", "done", attempt_id=attempt, references=[report]), **changed}
        review = workspace.review(task, kind, decision, **said)
        workspace.move_on(task, "done", "PM", review, report, review)

    return make


def later(workspace: Workspace4, **step: float) -> str:
    return (workspace.clock + datetime.timedelta(**step)).isoformat()


def timed(issued: float, expires: float | None) -> Callable[[Workspace4], None]:
    """T4 on a REVIEW issued and expiring so many seconds from its writing."""

    def make(workspace: Workspace4) -> None:
        task, attempt, report = submitted(workspace)
        more = {"expires_at": later(workspace, seconds=expires)} if expires is not None else {}
        bound = workspace.authority("review", "done", attempt_id=attempt) | {"issued_at": later(workspace, seconds=issued), **more}
        review = workspace.review(task, "acceptance", "approved", references=[report], **bound)
        workspace.move_on(task, "done", "PM", review, report, review)

    return make


def reused_for_another_task(workspace: Workspace4) -> None:
    first, attempt, report = submitted(workspace)
    review = workspace.approve(first, attempt, report)
    second, _, other = submitted(workspace)
    workspace.move_on(second, "done", "PM", review, other, review)


def authorised_by_a_report(workspace: Workspace4) -> None:
    task, attempt, report = submitted(workspace)
    review = workspace.review(task, "acceptance", "approved", references=[report], attempt_id=attempt)
    workspace.move_on(task, "done", "PM", report, report, review)


def judged_another_report(workspace: Workspace4) -> None:
    task, attempt, report = submitted(workspace)
    other = workspace.report(task, attempt, report_kind="replacement", references=[report])
    workspace.approve(task, attempt, other)


def reopened_on_the_review_of_another_task(workspace: Workspace4) -> None:
    other, task = workspace.task("Another"), workspace.task()
    attempt = workspace.to_done(task)
    why = workspace.review(other, "reopen", "approved", attempt_id=attempt)
    grant = workspace.review(task, "authorization", "authorize", **workspace.authority("done", "active", attempt_id=attempt))
    workspace.move_on(task, "active", "PM", grant, why)


def judged_without_naming_the_report(workspace: Workspace4) -> None:
    approved_by(references=[])(workspace)


def edited_behind_the_approval(workspace: Workspace4) -> None:
    task, attempt, report = submitted(workspace)
    workspace.approve(task, attempt, report)
    workspace.rewrite(report, result="better")


def deleted_behind_the_approval(workspace: Workspace4) -> None:
    task, attempt, report = submitted(workspace)
    workspace.approve(task, attempt, report)
    del workspace.files[workspace.path(report)]


def two_finals(workspace: Workspace4) -> None:
    task = workspace.task()
    attempt = workspace.claim(task)
    workspace.report(task, attempt)
    workspace.report(task, attempt)


def replaces_what_is_not_there(workspace: Workspace4) -> None:
    task = workspace.task()
    attempt = workspace.claim(task)
    workspace.report(task, attempt)
    workspace.report(task, attempt, report_kind="replacement")


def replaces_in_a_circle(workspace: Workspace4) -> None:
    task = workspace.task()
    attempt = workspace.claim(task)
    first = workspace.report(task, attempt)
    second = workspace.report(task, attempt, report_kind="replacement", references=[first])
    workspace.rewrite(first, report_kind="replacement", references=[second])


def family(workspace: Workspace4, branches: int = 2) -> tuple[str, str, list[str]]:
    """A Root at done with Branches at done: it, its attempt, they."""
    root = workspace.task("Root", recipient="PM")
    attempt = workspace.claim(root, "PM")
    made = [workspace.task("Branch", branch_of=root) for _ in range(branches)]
    for branch in made:
        workspace.to_done(branch)
    workspace.to_done(root, attempt)
    return root, attempt, made


def branch_of_a_branch(workspace: Workspace4) -> None:
    root = workspace.task("Root")
    workspace.claim(root)
    branch = workspace.task("Branch", branch_of=root)
    workspace.claim(branch)
    workspace.task("Twig", branch_of=branch)


def branch_of_a_root_that_is_done(workspace: Workspace4) -> None:
    root, *_ = family(workspace)
    workspace.clock += datetime.timedelta(hours=2)
    workspace.to_done(workspace.task("Late branch", branch_of=root))


def archived_over_an_open_branch(workspace: Workspace4) -> None:
    root, attempt, (branch, _) = family(workspace)
    open_attempt = workspace.reopen(branch, workspace.attempt(branch))
    workspace.submit(branch, workspace.report(branch, open_attempt))
    workspace.archive(root, attempt, convergence=workspace.converge(root))


def archived_without_convergence(workspace: Workspace4) -> None:
    root, attempt, _ = family(workspace)
    workspace.archive(root, attempt)


def archived_on_a_stale_convergence(workspace: Workspace4) -> None:
    root, attempt, (branch, _) = family(workspace)
    convergence = workspace.converge(root)
    workspace.to_done(branch, workspace.reopen(branch, workspace.attempt(branch)))
    workspace.archive(root, attempt, convergence=convergence)


def converged_on_too_little(workspace: Workspace4) -> None:
    root, attempt, _ = family(workspace)
    reports = [branch.report_id for branch in workspace.branches(root)]
    convergence = workspace.review(root, "convergence", "approved", family_digest=workspace.family(root), references=reports[1:])
    workspace.archive(root, attempt, convergence=convergence)


def reported_behind_an_archived_root(workspace: Workspace4) -> None:
    root, attempt, (branch, _) = family(workspace)
    workspace.archive(root, attempt, convergence=workspace.converge(root))
    (head,) = [evidence.report_id for evidence in workspace.branches(root) if evidence.branch_task_id == branch]
    workspace.report(branch, workspace.attempt(branch), report_kind="replacement", references=[head])


def branch_made_behind_an_archived_root(workspace: Workspace4) -> None:
    root, attempt, _ = family(workspace)
    workspace.archive(root, attempt, convergence=workspace.converge(root))
    workspace.to_done(workspace.task("Secret branch", branch_of=root))


def submitted_without_a_report(workspace: Workspace4) -> None:
    task = workspace.task()
    workspace.claim(task)
    workspace.submit(task)


def converged_without_a_family(workspace: Workspace4) -> None:
    task = workspace.task()
    attempt = workspace.to_done(task)
    convergence = workspace.review(task, "convergence", "approved", family_digest=digest_of(b"a family"))
    grant = workspace.review(task, "authorization", "authorize", **workspace.authority("done", "archive", attempt_id=attempt))
    workspace.move_on(task, "archive", "PM", grant, convergence, more={"attempt_id": attempt})


def family_digest_without_a_family(workspace: Workspace4) -> None:
    root, attempt, _ = family(workspace, branches=0)
    digest = digest_of(b"a family")
    grant = workspace.review(
        root, "authorization", "authorize", **workspace.authority("done", "archive", attempt_id=attempt, family_digest=digest)
    )
    workspace.move_on(root, "archive", "PM", grant, more={"attempt_id": attempt, "family_digest": digest})


def order_made_easier(workspace: Workspace4) -> None:
    task = workspace.task()
    workspace.bodies[task] = "\n# Anything\n"
    workspace.claim(task)


def event_written_by_hand(workspace: Workspace4) -> None:
    task = workspace.task()
    workspace.facts = False
    workspace.claim(task)


def fact_lost(workspace: Workspace4) -> None:
    workspace.task()
    workspace.files = {path: content for path, content in workspace.files.items() if "/create-" not in path}


def exported_and_edited(workspace: Workspace4) -> None:
    task = workspace.task()
    attempt = workspace.to_done(task)
    workspace.archive(task, attempt)
    workspace.files[f"fcop/cold/{task}.md"] = workspace.files[workspace.path(task)] + b"More.\n"


def exported_too_early(workspace: Workspace4) -> None:
    task = workspace.task()
    workspace.files[f"fcop/cold/{task}.md"] = workspace.files[workspace.path(task)]


FAULTS: list[tuple[str, Callable[[Workspace4], None], set[str]]] = [
    ("another kind", approved_by("comment", "approved"), {"FC452"}),
    ("rejected", approved_by("acceptance", "rejected"), {"FC452"}),
    ("another move", approved_by(transition={"from": "done", "to": "archive"}), {"FC452"}),
    ("another operation", approved_by(operation_kind="create_task"), {"FC452"}),
    ("for ever", approved_by(authorization_scope="standing"), {"FC452"}),
    ("another attempt", approved_by(attempt_id="urn:uuid:6f0a1c9e-5d1b-4a53-9d0e-1f9c1a2b3c4d"), {"FC452"}),
    ("no attempt", approved_by(attempt_id=None), {"FC452"}),
    ("a family", approved_by(family_digest="0" * 64), {"FC452"}),
    ("another profile", approved_by(profile_ref="nobody's"), {"FC452"}),
    ("no proof", approved_by(issuer_proof=None), {"FC452"}),
    ("expired", timed(-9, -8), {"FC453"}),
    ("expired before it was issued", timed(3600, 60), {"FC453"}),
    ("issued later", timed(3600, None), {"FC453"}),
    ("used for another TASK", reused_for_another_task, {"FC452", "FC454", "FC552"}),
    ("authorised by a REPORT", authorised_by_a_report, {"FC452"}),
    ("another REPORT judged", judged_another_report, {"FC552"}),
    ("the REPORT not named", judged_without_naming_the_report, {"FC552"}),
    ("reopened on another's REVIEW", reopened_on_the_review_of_another_task, {"FC552"}),
    ("a REPORT edited", edited_behind_the_approval, {"FC552"}),
    ("a REPORT deleted", deleted_behind_the_approval, {"FC552"}),
    ("submitted without a REPORT", submitted_without_a_report, {"FC551"}),
    ("two final REPORTs", two_finals, {"FC551"}),
    ("a replacement of nothing", replaces_what_is_not_there, {"FC551"}),
    ("replacements in a circle", replaces_in_a_circle, {"FC551"}),
    ("a Branch of a Branch", branch_of_a_branch, {"FC553"}),
    ("a Branch of a Root that is done", branch_of_a_root_that_is_done, {"FC553"}),
    ("an open Branch", archived_over_an_open_branch, {"FC553"}),
    ("no convergence", archived_without_convergence, {"FC554"}),
    ("a stale convergence", archived_on_a_stale_convergence, {"FC554"}),
    ("a convergence on too little", converged_on_too_little, {"FC554"}),
    ("a REPORT behind an archived Root", reported_behind_an_archived_root, {"FC554"}),
    ("a Branch behind an archived Root", branch_made_behind_an_archived_root, {"FC554"}),
    ("a family digest without a family", family_digest_without_a_family, {"FC554"}),
    ("a convergence without a family", converged_without_a_family, {"FC554"}),
    ("an order made easier", order_made_easier, {"FC555"}),
    ("a lost create fact", fact_lost, {"FC555"}),
    ("an event by hand", event_written_by_hand, {"FC953"}),
    ("an edited cold copy", exported_and_edited, {"FC556"}),
    ("a cold copy too early", exported_too_early, {"FC556"}),
]


@pytest.mark.parametrize(("fault", "expected"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_whose_digests_are_right_gives_its_code(fault: Callable[[Workspace4], None], expected: set[str]) -> None:
    workspace = Workspace4("fault")
    fault(workspace)
    assert ours(workspace) == expected


@pytest.mark.parametrize("seed", range(20))
def test_a_fault_is_found_among_lawful_lives(seed: int) -> None:
    workspace = Life(seed).lived()
    workspace.facts = True
    name, fault, expected = Random(seed).choice(FAULTS)
    fault(workspace)
    assert ours(workspace) == expected, name


@pytest.mark.parametrize("excuse", ["# fcoplint: ignore[FC552, FC555, FC953]\n", "# fcoplint: ignore[FC953]\n"])
def test_a_forger_cannot_excuse_himself_in_the_file_he_forges(excuse: str) -> None:
    workspace = Workspace4("excused")
    task, attempt, report = submitted(workspace)
    workspace.approve(task, attempt, report)
    for path in (workspace.path(task), workspace.path(report)):
        workspace.files[path] = workspace.files[path].replace(b"---\n", b"---\n" + excuse.encode(), 1)
    assert ours(workspace) == {"FC552", "FC953"}


def test_a_branch_whose_move_did_not_finish_is_one_branch() -> None:
    workspace = Workspace4("copies")
    root, attempt, (branch, _) = family(workspace)
    workspace.archive(root, attempt, convergence=workspace.converge(root))
    left, content = workspace.path(branch), workspace.files[workspace.path(branch)]
    workspace.archive(branch, workspace.attempt(branch))
    assert codes(workspace) == set()
    workspace.files[left] = content
    assert (ours(workspace), "FC203" in codes(workspace)) == (set(), True)


@pytest.mark.parametrize("branches", [0, 2])
def test_an_archiving_may_cite_again_what_the_task_was_accepted_on(branches: int) -> None:
    workspace = Workspace4("again")
    root, attempt, _ = family(workspace, branches)
    report, acceptance = workspace.fields[root]["transitions"][-1]["evidence_ref"]
    heads = [branch.report_id for branch in workspace.branches(root)]
    bound = {"family_digest": workspace.family(root)} if branches else {}
    cited = [report, acceptance, *([workspace.converge(root), *heads] if branches else [])]
    grant = workspace.review(root, "authorization", "authorize", **workspace.authority("done", "archive", attempt_id=attempt, **bound))
    workspace.move_on(root, "archive", "PM", grant, *cited, more={"attempt_id": attempt, **bound})
    assert ours(workspace) == set()


def test_the_archiving_of_a_family_may_be_authorised_for_no_attempt() -> None:
    workspace = Workspace4("family")
    root, attempt, _ = family(workspace)
    convergence, bound = workspace.converge(root), {"family_digest": workspace.family(root)}
    grant = workspace.review(root, "authorization", "authorize", **workspace.authority("done", "archive", **bound))
    heads = [branch.report_id for branch in workspace.branches(root)]
    workspace.move_on(root, "archive", "PM", grant, convergence, *heads, more={"attempt_id": attempt, **bound})
    assert codes(workspace) == set()


def test_a_workspace_without_profiles_lets_nothing_out_of_review() -> None:
    workspace = Workspace4("bare", profiles=())
    submitted(workspace)
    assert codes(workspace) == set()
    workspace.to_done(workspace.task())
    assert ours(workspace) == {"FC452"}


def test_the_profile_is_the_one_the_builder_signs_with() -> None:
    assert Workspace4("bare").manifest["profiles"] == [PROFILE]


ODD: list[object] = [None, 0, 1.5, 10**400, True, "", "\ud800", [], {}, [[]], ["\ud800"], {"a": {"b": [{}]}}]


@pytest.mark.parametrize("seed", range(40))
def test_no_value_of_another_kind_breaks_a_rule(seed: int) -> None:
    random = Random(seed)
    workspace = Life(seed).lived()
    family(workspace)
    facts = sorted(path for path in workspace.files if path.endswith(".json"))
    for path in random.sample(facts, k=min(4, len(facts))):
        values = json.loads(workspace.files[path])
        holder = random.choice([values, *(value for value in values.values() if isinstance(value, dict))])
        holder[random.choice(sorted(holder))] = random.choice(ODD)
        workspace.files[path] = json.dumps(values).encode()
    for name in random.sample(sorted(workspace.fields), k=3):
        fields = workspace.fields[name]
        holder = random.choice([fields, *fields.get("transitions", [])])
        value = random.choice([item for item in ODD if item is None or "ud800" not in ascii(item)])
        holder[random.choice(sorted(holder))] = value
        workspace.rewrite(name)
    report = engine.audit(MemorySnapshot(workspace.files), Settings())
    assert [item.finding.parameters for item in report.findings if item.rule.code == "FC000"] == []
    for item in report.findings:
        assert item.message.encode("utf-8")
