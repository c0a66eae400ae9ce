"""What notebook 00 computes and says of a campaign, with few draws, for tests."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from types import SimpleNamespace

from rankcompanion import session
from rankcompanion.verdict import cases as verdict
from rankcompanion.verdict import page as report
from rankstability.chance import named_generator
from rankstability.read import campaigns

SETTINGS = {"alpha": 0.05, "draws": 20, "resamples": 200, "seed": 1, "unit": "auto"}


def judge(one, alpha=0.05):
    """Everything that a verdict computes for one case, with few draws."""
    made, tables = report.judged(one, alpha=alpha, draws=20, resamples=200, seed=1)
    sure = verdict.standing(one, "auto", named_generator(1, one.name), 200, alpha)[1]
    return made, sure, tables


def cases(campaign, pair):
    found = campaigns.find(campaign)
    return verdict.cases(found, pair, campaigns.load(found, pair))


def told_of(campaign, pair="", folder=Path(), **settings):
    """Everything the page says of the first case of a campaign (path or name)."""
    found = campaigns.find(campaign)
    asked = settings.get("unit", "auto")
    one = verdict.cases(found, pair, campaigns.load(found, pair), unit=asked)[0]
    made, _, tables = judge(one)
    run = SimpleNamespace(campaign=found, out=session.Outputs(folder, {"data": "x"}))
    return report.told(run, one, made, tables, SETTINGS | settings)


def page_text(told):
    """The words of the page, without its marks and its scripts, blanks made one."""
    page = report.page(told, {}).decode()
    body = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def written(told):
    """`verdict.json`, as read."""
    return json.loads(report.as_json(told))
