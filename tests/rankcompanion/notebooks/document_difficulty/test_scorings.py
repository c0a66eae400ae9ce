"""Rankings under other ways of standardising: stable for nothing, right where truth is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from assessments import assessment, demo
from rankcompanion.models import additive as models
from rankcompanion.models import truth, variance
from rankcompanion.notebooks.document_difficulty import scorings
from rankstability.judgments import ranked_systems
from rankstability.rank.comparing import opposite_pairs
from rankstability.score.scored import segment_scores


def test_raw_never_moves_on_removal_and_the_rest_do():
    """Raw means of the others do not depend on a removed system: stability for nothing."""
    da, _ = demo("SR+DC", 14)
    rows = scorings.changes_by_method(da, ["raw", "z", "model"], divisors=[2, 10])
    totals = scorings.totals(rows).set_index(["method", "kind"])
    assert totals.loc["raw", ["d_rank", "d_cluster", "d_both"]].to_numpy().sum() == 0
    assert totals.loc["z", "d_rank"].sum() > 0
    assert set(rows["experiment"]) >= {"human+ref", "lowest", "highest", "divisor 2", "divisor 10"}
    alone = rows[rows["kind"] == "leave-one-out"]
    assert len(alone) == 3 * len(ranked_systems(da))


def test_without_noise_every_method_finds_the_truth():
    da, _ = demo("SR-DC", 15)
    fit = models.additive(da)
    fit = replace(fit, system=pd.Series(np.linspace(40, 70, len(fit.system)), fit.system.index),
                  spread=np.ones_like(fit.spread))  # fmt: skip
    quiet = {"system": float(fit.system.var()), "worker": 0.0, "residual": 1e-6}
    known = truth.known_truth(da, variance.Components(quiet, 0.0, {}, 0.0, 0), fit)
    assert np.allclose(known.quality, fit.system)
    scores = known.draw(2, np.random.default_rng(0))
    made = scorings.system_means(known.da, scores, ["raw", "z", "model"], None)
    for method, means in made.items():
        assert (np.diff(means[np.argsort(fit.system.to_numpy())], axis=0) > 0).all(), method
    assert scores.shape == (len(da.good), 2)


def test_many_campaigns_at_once_are_each_alone():
    """Column by column: the scores of one campaign put into the judgments themselves."""
    da, _ = demo("SR+DC", 18, workers=8, documents=10)
    known = truth.known_truth(da, models.components(da))
    scores = known.draw(3, np.random.default_rng(1))
    methods, penalty = tuple(models.METHODS), (3.0, 5.0)
    many = scorings.system_means(known.da, scores, methods, penalty)
    for k in range(3):
        judged = da.good.assign(score=scores[:, k])
        one = replace(da, latest=judged, good=judged)
        for method, z in models.standardised(one, methods, penalty).items():
            alone = segment_scores(one, z).system_means().set_index("system")["mean_z"]
            assert np.allclose(many[method][:, k], alone[list(ranked_systems(da))]), method


def test_the_model_beats_z_where_company_is_uneven():
    """Workers who met the good half only, or the poor half only: z thinks both halves alike."""
    rng = np.random.default_rng(17)
    rows = []
    for worker in range(30):
        half = (worker % 3 - 1) * 2  # -2: systems 0-3, 0: 0-7, 2: 4-7
        allowed = range(0, 4) if half < 0 else range(4, 8) if half > 0 else range(8)
        for segment in range(40):
            system = int(rng.choice(list(allowed)))
            score = 40 + 4 * system + rng.normal(0, 8)
            rows.append((f"w{worker}", f"S{system}", str(segment), "SYSTEM", score, "d"))
    names = ["worker", "system", "segment", "type", "score", "document"]
    da = assessment(pd.DataFrame(rows, columns=names))
    order = pd.Series(np.arange(8.0), [f"S{k}" for k in range(8)])
    raw = da.good["score"].to_numpy(float)[:, None]
    means = scorings.system_means(da, raw, ["z", "model", "composition"], None)
    wrong = {m: opposite_pairs(pd.Series(v[:, 0], order.index), order) for m, v in means.items()}
    assert wrong["model"] == wrong["composition"] == 0 and wrong["z"] >= 3


def changes_of(**d_rank: int) -> pd.DataFrame:
    """Ten leave-one-out runs per method; the order changed in all of them, or in none."""
    rows = [("xx-yy", m, "leave-one-out", d, 0) for m, d in d_rank.items()] * 10
    return pd.DataFrame(rows, columns=["pair", "method", "kind", "d_rank", "d_cluster"])


def tries_of(**wrong: int) -> pd.DataFrame:
    rows = [(k, m, w + k % 2, 0, 45) for k in range(10) for m, w in wrong.items()]
    return pd.DataFrame(rows, columns=["simulation", "method", "wrong", "moved", "pairs"])


def test_stable_but_wrong_is_not_both():
    changes, tries = changes_of(z=1, raw=0, model=0), tries_of(z=3, raw=9, model=2)
    best = scorings.most_stable(changes, tries)
    assert best.pop("stable") == ["raw", "model"]
    assert best == {key: ["model"] for key in ("fewest errors", "right", "both")}
    table = scorings.stable_and_right(changes, tries).set_index("method")
    assert list(table.index) == ["z", "raw", "model"]
    assert table["pairs_changed"].tolist() == [1, 0, 0]
    assert table.loc["raw", "wrong"] == pytest.approx(9.5 / 45)


def test_gaps_are_paired_by_simulation_and_told_apart_only_beyond_chance():
    rng = np.random.default_rng(3)
    common = rng.integers(5, 15, 100)
    wrong = {"z": common, "raw": common + 2, "model": common + rng.choice([-1, 1], 100)}
    tries = pd.concat(
        pd.DataFrame({"simulation": range(100), "method": m, "wrong": w + rng.integers(0, 2, 100),
                      "moved": 0, "pairs": 40}) for m, w in wrong.items()
    )  # fmt: skip
    table = scorings.gaps(tries).set_index(["method", "against"])
    assert table["told_apart"].to_dict() == {
        ("z", "raw"): 1, ("z", "model"): 0, ("raw", "model"): 1
    }  # fmt: skip
    wide = tries.set_index(["simulation", "method"])["wrong"].unstack() / 40
    gap = wide["z"] - wide["raw"]
    half = stats.t.isf(0.025 / 3, 99) * gap.sem()
    assert table.loc[("z", "raw"), ["gap", "low", "high"]].to_numpy(float) == pytest.approx(
        [gap.mean(), gap.mean() - half, gap.mean() + half]
    )


def test_all_methods_that_tie_are_named():
    """Nothing changed under any method: none of them is the most stable."""
    tries = tries_of(z=2, raw=2, model=2)
    tie = scorings.most_stable(changes_of(z=0, raw=0, model=0), tries)
    assert tie["stable"] == tie["right"] == tie["both"] == ["z", "raw", "model"]
    alone = scorings.most_stable(changes_of(z=0, raw=1, model=1), tries)
    assert alone["stable"] == alone["both"] == ["z"]


def test_without_being_asked_for_others_the_papers_five_divisors_are_tried():
    da, _ = demo("SR-DC", 14)
    rows = scorings.changes_by_method(da, ["raw"], leave_one_out=False)
    divisors = rows.loc[rows["kind"] == "divisor", "experiment"].tolist()
    assert divisors == [f"divisor {d}" for d in ("1.25", "1.5", "2", "4", "10")]
