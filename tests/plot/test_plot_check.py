"""Every kind of figure with names and values that are hard to draw: what is asked for is drawn."""

from __future__ import annotations

import re
from html import unescape

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from rankstability.plot import changes, check, common, ranking, relative_ranking, simulation
from rankstability.plot import tournament as tournaments
from rankstability.report.outputs import Outputs

NAMES = [
    "ariel197197.512", r"$\frac{1$", "<img src=x onerror=alert(1)>", "UNI-Transformer2018.1",
    "Übersetzer № 7 “ß” 漢", "0.025", "a_b^c", "UEDIN-SYSTEM-COMBINATION-WITH-A-LONG-NAME.6813",
]  # fmt: skip
RNG = np.random.default_rng(7)
N = len(NAMES)


def bump():
    orders = {f"without {n}": RNG.permutation(N) + 1 for n in NAMES[:4]}
    places = common.bump_places(pd.DataFrame(orders, index=NAMES)).assign(line="kept")
    places.loc[::3, "line"] = "appeared"
    return common.bump(places, title=f"cs-en: without {NAMES[2]}")


def heat():
    values = pd.DataFrame(RNG.normal(0.025, 0.05, (N, N)), NAMES, NAMES)
    return common.heatmap(values, title="matrix", label="share, %", fmt=".3f")


def scores():
    frame = pd.DataFrame({"rank": range(1, N + 1), "system": NAMES})
    frame["mean_z"] = np.linspace(0.1, -0.025, N)
    frame["cluster"] = [1, 1, 1, 2, 2, 3, 3, 3]
    spread = {"rank_low": -1, "rank_median": 0, "rank_high": 1}
    frame = frame.assign(**{k: (frame["rank"] + v).clip(1, N) for k, v in spread.items()})
    frame = frame.assign(mean_low=frame["mean_z"] - 0.02, mean_high=frame["mean_z"] + 0.02)
    return ranking.scores_figure(frame, (3, 5), r"wmtx cs-en $\frac{1$", "worker")


def rules():
    rows = [
        {
            "pair": f"x{k}-en",
            "test": t,
            "correction": "none",
            "knowles": k + 1,
            "adjacent": 2 * k + 1,
        }
        for t in ("scipy<1.7", "two-sided")
        for k in range(6)
    ]
    return ranking.rules_figure(pd.DataFrame(rows), "clusters")


def moves():
    grid = [(a, b, np.nan if a == b else RNG.integers(-2, 3)) for a in NAMES for b in NAMES]
    return changes.who_moves_whom(pd.DataFrame(grid, columns=["removed", "system", "move"]), "who")


def pairs():
    percent = pd.DataFrame(RNG.uniform(0, 100, (N, N)), NAMES, NAMES)
    tests = pd.DataFrame({"system": NAMES[:4], "other": NAMES[4:], "p": 0.01})
    tests["p_holm"] = [0.01, 0.9, 0.01, 0.9]
    return relative_ranking.pairs_figure(percent, tests, "wmtx cs-en")


def points():
    frame = pd.DataFrame(
        {"system": NAMES, "x": RNG.uniform(130, 170, N), "y": RNG.uniform(0, 1, N)}
    )
    return relative_ranking.scatter(frame, "x", "y", xlabel="blocks", ylabel="≥", title="en-es")


def ranges():
    rows = [
        {"task": "cs-en", "system": s, "rank": k + 1, "unit": u, "first": max(1, k), "last": k + 2}
        for u in ("block", "judge", "judgment")
        for k, s in enumerate(NAMES)
    ]
    return simulation.ranges_by_unit(pd.DataFrame(rows), ["cs-en"], "wmtx: rank ranges")


def tournament():
    rows = [
        {"over": NAMES[b], "under": NAMES[a], "rank_over": b + 1, "rank_under": a + 1, "weight": w,
         "violated": 1, "in_triangle": 0, "in_cycle": 1}
        for a, b, w in ((0, 2, 5), (3, 7, 12))
    ]  # fmt: skip
    rows += [{**rows[0], "rank_over": 1, "rank_under": 2, "violated": 0, "in_triangle": 1}]
    return tournaments.tournament_figure(pd.DataFrame(rows), NAMES, "wmtx fr-en")


KINDS = [bump, heat, scores, rules, moves, pairs, points, ranges, tournament]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def figure(request):
    made = request.param()
    yield made
    plt.close(made)


def asked(fig) -> list[str]:
    with common.style():
        return sorted(
            line for w in check.written(fig) for line in w.text.split("\n") if line.strip()
        )


def test_every_text_in_the_file_is_what_was_asked_for(figure, tmp_path):
    wanted = asked(figure)
    Outputs(tmp_path, {}, formats=("svg",)).figure(figure, "any")
    drawn = (tmp_path / "any.svg").read_text(encoding="utf-8")
    texts = re.findall(r"<text[^>]*>(.*?)</text>", drawn, re.DOTALL)
    found = sorted(unescape(re.sub(r"<[^>]+>", "", t)) for t in texts)
    assert found == wanted
    assert sum(name in found or f"★ {name}" in found for name in NAMES) in (0, *range(4, N + 1))
    assert "<img" not in drawn


def test_nothing_is_cut_runs_into_another_or_is_too_pale(figure):
    with common.style():
        assert check.faults(figure) == []


def test_the_words_of_a_figure_name_title_and_axes():
    fig = scores()
    assert check.describe(fig).startswith(
        r"wmtx cs-en $\frac{1$. Across: mean z-score. Down: ariel197197.512, "
    )
    assert "Across: rank" in check.describe(fig)
    plt.close(fig)


def test_the_check_finds_what_is_wrong():
    with common.style():
        fig, ax = plt.subplots(figsize=(4, 3))
        ax.text(0.5, 0.5, "pale", color="#DE8F05")
        ax.text(0.2, 0.2, "one over another")
        ax.text(0.2, 0.2, "another over one")
        found = " ".join(check.faults(fig))
    plt.close(fig)
    assert "contrast 2.6: 'pale'" in found and "over one another" in found


def test_a_colour_is_darkened_only_as_far_as_needed():
    for colour in common.PALETTE:
        made = check.contrast(plt.matplotlib.colors.to_rgb(common.legible(colour)), (1, 1, 1))
        assert 4.5 <= made < 21.01
    assert common.legible("#000000") == "#000000"
    assert check.contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
