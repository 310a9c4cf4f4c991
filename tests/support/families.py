"""A whole life in FCoP 4, written by the reference through the corpus's own generator: every edge T1 to T7, Branches, a merge."""

from __future__ import annotations

from pathlib import Path

from tests.support.reference import Reference

# Left: its REPORT replaced, rejected, approved, reopened, approved, archived. Right: approved and done. The Root: archived on
# a convergence, and exported. Beside them what no gate asks for: two ISSUEs, a comment, a child.
_SCRIPT = """
import sys
from pathlib import Path
from generate_v4 import Workspace

w = Workspace(Path(sys.argv[1]))
root = w.task("Root", sender="ADMIN", recipient="PM", priority="P1")
root_attempt = w.claim(root, "PM")
left = w.task("Left branch", branch_of=root, references=[root])
right = w.task("Right branch", recipient="QA", branch_of=root)
child = w.task("Child", parent=root)
attempt = w.claim(left)
first = w.report(left, attempt, result="partial")
second = w.report(left, attempt, report_kind="replacement", references=[first])
w.submit(left, report_ref=second)
attempt = w.reject(left, attempt, second)
report = w.report(left, attempt)
w.submit(left)
w.approve(left, attempt, report)
attempt = w.reopen(left, attempt)
last = w.report(left, attempt)
w.submit(left)
w.approve(left, attempt, last)
right_attempt = w.to_done(right)
w.archive(left, attempt)
w.to_done(root, root_attempt)
digest = w.project.family_digest(root_task_id=root)
heads = {task: w.project.list_reports(subject_ref=task, attempt_id=made, head_only=True)[0]["report_id"]
         for task, made in ((left, attempt), (right, right_attempt))}
made = w.project.merge_branches(
    workspace_id=w.id, root_task_id=root, expected_family_digest=digest, branch_report_heads=heads, conclusion="Both fit.",
    conflict_resolution="None was needed.", operation_id="merge-001", sender="PM", recipient="ADMIN",
)
w.archive(root, root_attempt, review_ref=made["review_id"], family_digest=digest)
w.project.export_archive(task_id=root)
w.project.write_issue(
    workspace_id=w.id, sender="QA", recipient="PM", body="No seed data.\\n", subject_ref=child, severity="high")
w.project.write_issue(
    workspace_id=w.id, sender="QA", recipient="ADMIN", body="All.\\n", subject_ref=f"workspace:{w.id}", severity="low")
w.project.write_review(
    workspace_id=w.id, sender="QA", recipient="PM", body="Asked.\\n", subject_ref=child, review_kind="comment", decision="needs_human")
"""


def write_family(reference: Reference, shared: Path, folder: Path) -> dict[str, bytes]:
    """Write the family below `folder`; its files by their paths relative to that."""
    folder.mkdir()
    reference.run(_SCRIPT, folder, beside=shared / "corpus")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
