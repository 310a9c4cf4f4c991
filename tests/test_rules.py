"""Every file in rules/ says what the tool does: its form, its row in the specification, its examples."""

import re
from pathlib import Path

import pytest

from fcoplint import catalogue, engine
from fcoplint.checks.registry import PROBED, all_rules
from fcoplint.findings import SEVERITIES
from fcoplint.report import Report
from fcoplint.settings import Settings
from tests.support.rulefile import RULES, Example, load

FILES = sorted(RULES.glob("FC*.md"))
REGISTERED = {code for rule in all_rules() for code in rule.codes} | {"FC000", "FC002"} | PROBED


def judge(example: Example) -> Report:
    before = example.snapshot_before()
    return engine.check([before], example.snapshot(), Settings()) if before else engine.audit(example.snapshot(), Settings())


def codes(example: Example, least: str, own: str) -> set[str]:
    """The codes found at a severity or above; information counts only from the rule whose example it is."""
    found = [item for item in judge(example).findings if SEVERITIES.index(item.severity) >= SEVERITIES.index(least)]
    return {item.rule.code for item in found if item.severity != "info" or item.rule.code == own}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_rule_file_holds_to_the_model_and_is_read_alike(path: Path) -> None:
    model, rule = load(path), catalogue.rule(path.name[:5])
    assert path.stem == f"{model.code}-{model.name}"
    assert (rule.code, rule.name, rule.title, rule.contract, rule.protocols, rule.fix, rule.source) == (
        model.code, model.name, model.title, model.contract, model.protocols, model.fix, model.source
    )  # fmt: skip
    assert dict(rule.severity) == model.severities
    assert dict(rule.protocol_errors) == model.protocol_errors
    assert rule.why == " ".join(model.why.split())
    assert {key: (message.text, message.help, message.next) for key, message in rule.messages.items()} == {
        key: (" ".join(message.text.split()), " ".join(message.help.split()), tuple(message.next))
        for key, message in model.messages.items()
    }
    assert rule.body == model.body.strip("\n")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples_give_exactly_their_code(path: Path) -> None:
    model = load(path)
    if model.example:
        file, _, name = model.example.partition("::")
        assert re.search(rf"def {name}\b", (RULES.parent / file).read_text("utf-8")), f"{model.example} is not there"
        return
    for example in model.examples():
        worst = max(model.severities.values(), key=SEVERITIES.index)
        if example.kind == "good":
            assert codes(example, "info" if worst == "info" else "warning", model.code) == set(), example.files
        else:
            own = [item.severity for item in judge(example).findings if item.rule.code == model.code]
            assert own, f"{model.code} is not found in {[*example.files, *example.links]}"
            assert codes(example, min(own, key=SEVERITIES.index), model.code) == {model.code, *model.with_}


def test_every_rule_file_has_a_check_and_every_check_a_file() -> None:
    assert {path.name[:5] for path in FILES} == REGISTERED
