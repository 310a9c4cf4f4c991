"""FCoP 4 workspaces made by our own means, as fast and as large as a test wants: every edge, every receipt, every digest.

What it writes is held against the reference's own validator (test_v4_lives.py), and the digests against the reference and
the clauses' own JSON (test_digests.py).
"""

from __future__ import annotations

import datetime
import json
import uuid
from pathlib import Path
from typing import Any

import yaml

from fcoplint.protocol import digests
from fcoplint.protocol.digests import BranchEvidence, digest_of

START = datetime.datetime(2026, 10, 1, 8, tzinfo=datetime.UTC)
PROFILE = "team-lead"
_TOOLS = {
    ("inbox", "active"): "claim_task", ("active", "review"): "submit_task", ("review", "done"): "approve_task",
    ("review", "active"): "reject_task", ("done", "active"): "reopen_task", ("done", "archive"): "archive_task",
}  # fmt: skip
_FOLDERS = (
    *(f"_lifecycle/{stage}" for stage in ("inbox", "active", "review", "done", "archive")),
    "reports", "issues", "reviews", "operations", "cold",
)  # fmt: skip
_NAMES = uuid.UUID("6f0a1c9e-5d1b-4a53-9d0e-1f9c1a2b3c4d")


class Workspace4:
    """A workspace under construction; `files` are its bytes by path. `facts` says whether create facts and receipts are written."""

    def __init__(self, name: str = "workspace", profiles: tuple[str, ...] = (PROFILE,), *, facts: bool = True) -> None:
        self.name = name
        self.facts = facts
        self.files: dict[str, bytes] = {}
        self.fields: dict[str, dict[str, Any]] = {}
        self.bodies: dict[str, str] = {}
        self.stages: dict[str, str] = {}
        self.clock = START
        self._made = 0
        self.id = self._urn()
        self.manifest: dict[str, Any] = {
            "encoding": {"name": "fcop-filesystem", "version": "4.0"}, "profiles": list(profiles), "protocol": "fcop",
            "protocol_version": "4.0", "workspace_id": self.id,
        }  # fmt: skip
        self.files["fcop/fcop.json"] = _json(self.manifest)

    def task(self, subject: str = "Build the form", sender: str = "PM", recipient: str = "DEV", **more: Any) -> str:
        """T1: a TASK in inbox."""
        at = self._now()
        fields = self._common("TASK", sender, recipient, at)
        named = self._name("TASK")
        relations = {"priority": "P2", "parent": None, "branch_of": None, "references": [], **more}
        fields |= {"task_id": named, "subject": subject, **relations}
        body = f"\n# {subject}\n\nAcceptance: the check passes.\n"
        if self.facts:
            fields |= {"operation_id": f"op-{self._made}", "operation_kind": "create_task"}
            fields["normalized_request_digest"] = digests.request_digest(fields, body)
        fields["transitions"] = [{"at": at, "from": None, "to": "inbox", "by": sender, "tool": "create_task"}]
        self.fields[named], self.bodies[named] = fields, body
        self._put(named, "inbox")
        if self.facts:
            self._remember(named)
        return named

    def claim(self, task: str, by: str = "DEV") -> str:
        """T2; the new attempt."""
        return self._move(task, "active", by, {"attempt_id": self._urn()})

    def report(self, task: str, attempt: str, sender: str = "DEV", recipient: str = "PM", **more: Any) -> str:
        """A REPORT of an attempt."""
        said = {"subject_ref": task, "attempt_id": attempt, "report_kind": "final", "result": "done", "references": [], **more}
        return self._write("REPORT", sender, recipient, said)

    def submit(self, task: str, *reports: str, by: str = "DEV") -> None:
        """T3; lawful is one REPORT."""
        self._move(task, "review", by, self._evidence(*reports))

    def review(self, task: str, kind: str, decision: str, sender: str = "PM", recipient: str = "DEV", **more: Any) -> str:
        """A REVIEW of any kind."""
        said = {"subject_ref": task, "review_kind": kind, "decision": decision, "references": [], **more}
        return self._write("REVIEW", sender, recipient, {key: value for key, value in said.items() if value is not None})

    def authority(self, source: str, target: str, **more: Any) -> dict[str, Any]:
        """The fields with which a REVIEW authorises an edge once."""
        return {
            "operation_kind": "lifecycle_transition", "authorization_scope": "single_use", "transition": {"from": source, "to": target},
            "issued_at": self._now(), "profile_ref": PROFILE, "issuer_proof": "signed by PM", **more,
        }  # fmt: skip

    def approve(self, task: str, attempt: str, report: str, by: str = "PM") -> str:
        """T4, on one REVIEW that is evidence and authority; that REVIEW."""
        bound = self.authority("review", "done", attempt_id=attempt)
        review = self.review(task, "acceptance", "approved", references=[report], **bound)
        self.move_on(task, "done", by, review, report, review)
        return review

    def reject(self, task: str, attempt: str, report: str, by: str = "PM") -> str:
        """T5; the new attempt."""
        bound = self.authority("review", "active", attempt_id=attempt)
        review = self.review(task, "rejection", "rejected", references=[report], **bound)
        return self.move_on(task, "active", by, review, report, review)

    def reopen(self, task: str, attempt: str, by: str = "PM") -> str:
        """T6, on a reopening and a separate authorization; the new attempt."""
        why = self.review(task, "reopen", "approved", attempt_id=attempt)
        grant = self.review(task, "authorization", "authorize", **self.authority("done", "active", attempt_id=attempt))
        return self.move_on(task, "active", by, grant, why)

    def archive(self, task: str, attempt: str, by: str = "PM", convergence: str | None = None) -> str:
        """T7, of a Root with Branches on its convergence; the authorization."""
        family = self.family(task) if convergence else None
        bound = self.authority("done", "archive", attempt_id=attempt, **({"family_digest": family} if family else {}))
        grant = self.review(task, "authorization", "authorize", **bound)
        cited = [convergence, *(branch.report_id for branch in self.branches(task))] if convergence else []
        more = {"attempt_id": attempt, **({"family_digest": family} if family else {})}
        self.move_on(task, "archive", by, grant, *cited, more=more)
        return grant

    def converge(self, root: str) -> str:
        """A convergence REVIEW of a Root's Branches as they are now."""
        reports = [branch.report_id for branch in self.branches(root)]
        return self.review(root, "convergence", "approved", family_digest=self.family(root), references=sorted(reports))

    def to_done(self, task: str, attempt: str | None = None) -> str:
        """All the way to done; the attempt."""
        attempt = attempt or self.claim(task)
        report = self.report(task, attempt)
        self.submit(task, report)
        self.approve(task, attempt, report)
        return attempt

    def move_on(self, task: str, target: str, by: str, grant: str, *cited: str, more: dict[str, Any] | None = None) -> str:
        """T4 to T7: on an authorization, citing evidence; the attempt that then is current."""
        digest = digest_of(self.files[self.path(grant)])
        event = {**(more or {}), **self._evidence(*cited), "authorization_ref": grant, "authorization_digest": digest}
        if target == "active":
            event["attempt_id"] = self._urn()
        return self._move(task, target, by, event)

    def branches(self, root: str) -> list[BranchEvidence]:
        """The Branches of a Root with their current evidence, in the order of their names."""
        return [self._branch(task) for task, fields in sorted(self.fields.items()) if fields.get("branch_of") == root]

    def family(self, root: str) -> str:
        """A Root's family digest as it is now."""
        return digests.family_digest(root, self.branches(root))

    def path(self, name: str) -> str:
        """Where an envelope lies."""
        kind = name.partition("-")[0]
        folder = f"_lifecycle/{self.stages[name]}" if kind == "TASK" else f"{kind.lower()}s"
        return f"fcop/{folder}/{name}.md"

    def attempt(self, task: str) -> str:
        """A TASK's current attempt."""
        entries = [event for event in self.fields[task]["transitions"] if event["to"] == "active"]
        return str(entries[-1]["attempt_id"])

    def rewrite(self, name: str, **changes: Any) -> None:
        """Write an envelope's file with other values (None: without the key), as a forger would."""
        fields = {key: value for key, value in {**self.fields[name], **changes}.items() if value is not None or key not in changes}
        self.files[self.path(name)] = _envelope(fields, self.bodies[name])

    def write(self, folder: Path) -> None:
        """Put it on disk, with the empty folders that the reference demands."""
        for name in _FOLDERS:
            (folder / "fcop" / name).mkdir(parents=True, exist_ok=True)
        for path, content in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)

    def _branch(self, task: str) -> BranchEvidence:
        submitted = [event for event in self.fields[task]["transitions"] if event["to"] == "review"][-1]
        return BranchEvidence(task, self.attempt(task), submitted["evidence_ref"][0], submitted["evidence_digest"][0])

    def _evidence(self, *cited: str) -> dict[str, list[str]]:
        return {"evidence_ref": list(cited), "evidence_digest": [digest_of(self.files[self.path(name)]) for name in cited]}

    def _move(self, task: str, target: str, by: str, more: dict[str, Any]) -> str:
        source, before, old = self.stages[task], self.files.pop(self.path(task)), self.path(task)
        attempt = self.attempt(task) if source != "inbox" else None
        event = {"at": self._now(), **more, "by": by, "from": source, "to": target, "tool": _TOOLS[source, target]}
        self.fields[task]["transitions"].append(event)
        self._put(task, target)
        if self.facts:
            self._receipt(task, event, before, old, attempt)
        return self.attempt(task)

    def _put(self, task: str, stage: str) -> None:
        self.stages[task] = stage
        self.files[self.path(task)] = _envelope(self.fields[task], self.bodies[task])

    def _remember(self, task: str) -> None:
        fields = self.fields[task]
        key = digests.create_key(self.id, fields["operation_id"])
        fact = {
            "contract": "fcop-create-task-v1", "key": key, "workspace_id": self.id, "operation_kind": "create_task",
            "operation_id": fields["operation_id"], "task_id": task, "path": self.path(task),
            "digest": fields["normalized_request_digest"], "content_digest": digest_of(self.files[self.path(task)]),
        }  # fmt: skip
        self.files[f"fcop/operations/create-{key}.json"] = _json(fact)
        self.files[f"fcop/operations/create-{key}.lock"] = b""

    def _receipt(self, task: str, event: dict[str, Any], before: bytes, old: str, attempt: str | None) -> None:
        operation = self._urn()
        receipt = {
            "contract": "fcop-lifecycle-receipt-v1", "version": 1, "operation_id": operation, "workspace_id": self.id, "task_id": task,
            "operation_kind": "lifecycle_transition", "from_stage": event["from"], "to_stage": event["to"], "tool": event["tool"],
            "actor": event["by"], "report_ref": None, "source_path": old, "target_path": self.path(task),
            "source_digest": digest_of(before), "target_digest": digest_of(self.files[self.path(task)]),
            "evidence_ref": event.get("evidence_ref", []), "evidence_digest": event.get("evidence_digest", []),
            "attempt_id": self.attempt(task), "transition": event, "stage": "COMMITTED",
        }  # fmt: skip
        if "authorization_ref" in event:
            receipt |= self._authorised(event, attempt, self.attempt(task))
        receipt["normalized_transition_digest"] = digests.transition_digest(receipt)
        self.files[f"fcop/operations/transition-{operation.rpartition(':')[2].replace('-', '')}.json"] = _json(receipt)

    def _authorised(self, event: dict[str, Any], attempt: str | None, now: str) -> dict[str, Any]:
        reviews = [name for name in event["evidence_ref"] if name.startswith("REVIEW-")]
        return {
            "review_ref": reviews[0] if reviews else None, "authorization_ref": event["authorization_ref"],
            "authorization_digest": event["authorization_digest"], "profile_ref": PROFILE, "request_profile_ref": None,
            "source_attempt_id": attempt, "target_attempt_id": now, "family_digest": event.get("family_digest"),
        }  # fmt: skip

    def _write(self, kind: str, sender: str, recipient: str, said: dict[str, Any]) -> str:
        named = self._name(kind)
        self.fields[named] = {**self._common(kind, sender, recipient, self._now()), f"{kind.lower()}_id": named, **said}
        self.bodies[named] = "\n# Result\n\nAs said above.\n"
        self.files[self.path(named)] = _envelope(self.fields[named], self.bodies[named])
        return named

    def _common(self, kind: str, sender: str, recipient: str, at: str) -> dict[str, Any]:
        return {
            "protocol": "fcop", "version": 4, "type": kind, "workspace_id": self.id, "sender": sender, "recipient": recipient,
            "created_at": at,
        }  # fmt: skip

    def _now(self) -> str:
        self.clock += datetime.timedelta(seconds=7)
        return self.clock.isoformat()

    def _name(self, kind: str) -> str:
        return f"{kind}-{self._uuid().hex}"

    def _urn(self) -> str:
        return self._uuid().urn

    def _uuid(self) -> uuid.UUID:
        self._made += 1
        return uuid.uuid5(_NAMES, f"{self.name} {self._made}")


def _envelope(fields: dict[str, Any], body: str) -> bytes:
    return f"---\n{yaml.dump(fields, Dumper=_Plain, allow_unicode=True, sort_keys=False)}---\n{body}".encode()


def _json(values: dict[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"


class _Plain(yaml.CSafeDumper):
    """Writes a list that stands in two places twice, as FCoP knows no YAML references."""

    def ignore_aliases(self, data: object) -> bool:
        """Never an alias."""
        return True
