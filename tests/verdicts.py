"""What notebook 00 computes and says of a campaign, with few draws, for tests."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from rankcompanion import session
from rankcompanion.verdict import answers
from rankcompanion.verdict import cases as verdict
from rankcompanion.verdict import page as report
from rankstability.rank.certainty import from_kinds
from rankstability.rank.units import Kind
from rankstability.read import campaigns


def sure(mean, covariance, units=40):
    """What is certain of means with this covariance over units that all weigh alike."""
    n = len(mean)
    parts = np.linalg.cholesky(covariance).T
    kind = Kind(np.full((units, n), 1 / units), parts, np.full(n, float(units)))
    names = [chr(ord("a") + k) for k in range(len(mean))]
    return from_kinds(names, np.asarray(mean, float), {"worker": kind}, span=1.0)


SETTINGS = {"alpha": 0.05, "draws": 20, "resamples": 200, "seed": 1, "unit": "auto"}


def judge(one, alpha=0.05, unit="auto"):
    """Everything that a verdict computes for one case, with few draws."""
    return report.judged(one, unit=unit, alpha=alpha, draws=20, resamples=200, seed=1)


def cases(campaign, pair):
    found = campaigns.find(campaign)
    return verdict.cases(found, pair, campaigns.load(found, pair))


def told_of(campaign, pair="", folder=Path(), **settings):
    """Everything the page says of the first case of a campaign (path or name)."""
    found = campaigns.find(campaign)
    asked = settings.get("unit", "auto")
    one = verdict.cases(found, pair, campaigns.load(found, pair), unit=asked)[0]
    made, tables = judge(one, unit=asked)
    run = SimpleNamespace(campaign=found, out=session.Outputs(folder, {"data": "x"}))
    return answers.facts(run, one, made, tables, SETTINGS | settings)


def page_text(told):
    """The words of the page, without its marks and its scripts, blanks made one."""
    page = report.page(told, {}).decode()
    body = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def written(told):
    """`verdict.json`, as read."""
    return json.loads(report.as_json(told))
