"""What notebook 00 computes and says of a campaign, with few draws, for tests."""

import html
import json
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from assessments import demo
from companion.legacy.rankcampaigns import campaigns
from companion.legacy.rankcompanion.models import variance
from companion.legacy.rankcompanion.running import session
from companion.legacy.rankcompanion.verdict import answers, design
from companion.legacy.rankcompanion.verdict import cases as verdict
from companion.legacy.rankcompanion.verdict import page as report
from companion.legacy.rankstability import paths
from companion.legacy.rankstability.rank.certainty import of_means
from companion.legacy.rankstability.rank.means import Means
from companion.legacy.rankstability.rank.units import Kind
from companion.legacy.rankstability.score.scored import from_assessment


def sure(mean, covariance, units=40):
    """What is certain of means with this covariance over units that all weigh alike."""
    n = len(mean)
    parts = np.linalg.cholesky(covariance).T
    kind = Kind(np.full((units, n), 1 / units), parts, np.full(n, float(units)))
    names = [chr(ord("a") + k) for k in range(len(mean))]
    return of_means(Means(names, np.asarray(mean, float), {"worker": kind}))


GIVEN = {"system": 9.0, "worker": 30.0, "document": 10.0, "segment": 8.0, "worker:system": 6.0,
         "block": 20.0, "document:system": 5.0, "residual": 100.0}  # fmt: skip


def known_components(**more):
    """A demo campaign's scores, and how precisely components that are `GIVEN` determine them."""
    scored = from_assessment(demo("SR+DC", 31, workers=12, documents=15)[0])
    return scored, design.precision(scored, variance.Components(GIVEN, 0.0, {}, 0.0, 0, **more))


def drawn_scores(codes, variance, draws, rng):
    """Sums of independent normal effects of each factor and of a residual: (rows, draws)."""
    rows = len(next(iter(codes.values())))
    total = rng.standard_normal((rows, draws)) * np.sqrt(variance["residual"])
    for name, levels in codes.items():
        effect = rng.standard_normal((int(levels.max()) + 1, draws))
        total += np.sqrt(variance[name]) * effect[levels]
    return total


SETTINGS = {"alpha": 0.05, "seed": 1, "unit": "auto"}


def judge(one, alpha=0.05, unit="auto"):
    """Everything that a verdict computes for one case, with few draws."""
    return report.judged(one, unit=unit, alpha=alpha, seed=1)


def cases(campaign, pair):
    found = campaigns.find(campaign)
    return verdict.cases(found, pair, campaigns.load(found, pair))


def standing(one):
    """The ranking of one case and the answers for its lines, without all that takes longer."""
    made = verdict.standing(one)
    return made, answers.line_answers(made)


@cache
def first_judged(campaign, pair, unit):
    """The campaign, its first case, and what `judge` computes for that."""
    found = campaigns.find(campaign)
    one = verdict.cases(found, pair, campaigns.load(found, pair), unit=unit)[0]
    return found, one, *judge(one, unit=unit)


def told_of(campaign, pair="", folder=Path(), **settings):
    """Everything the page says of the first case of a campaign; of a demo it is computed once."""
    still = Path(campaign).is_relative_to(paths.DEMO)  # files of tests may change
    judged = first_judged if still else first_judged.__wrapped__
    found, one, made, tables = judged(campaign, pair, settings.get("unit", "auto"))
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
