"""Effects of documents: found where they are planted, with intervals that cover them."""

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.judgments import Judgments
from rankstability.scores.build import score_arrays
from rankstability.stability.components import fit_judgments
from rankstability.stability.difficulty import (
    _by_document,
    _by_system,
    segment_table,
    variance_components,
)
from real import real_data


def judged(frame, **words):
    ids = ["annotator", "system", "document", "segment"]
    return Judgments(frame.astype(dict.fromkeys(ids, "category")), "direct_assessment", **words)


def planted(seed=31):
    """Six equal systems, 40 documents of known ease; system S0 on the easier half only."""
    rng = np.random.default_rng(seed)
    ease = np.sort(rng.normal(0, 10, 40))
    rows = []
    for annotator in range(30):
        lenient = rng.normal(0, 8)
        for _ in range(60):
            system, document = int(rng.integers(6)), int(rng.integers(40))
            if system == 0:
                document = 20 + document // 2
            segment = f"d{document:02d}_{rng.integers(8)}"
            score = 50 + ease[document] + lenient + rng.normal(0, 6)
            rows.append((f"w{annotator:02d}", f"S{system}", f"d{document:02d}", segment, score))
    names = ["annotator", "system", "document", "segment", "score"]
    return pd.DataFrame(rows, columns=names), ease


def test_planted_difficulty_is_found_with_intervals_that_cover():
    frame, ease = planted()
    judgments = judged(frame)
    table = variance_components(judgments).difficulty.set_index("document")
    truth = pd.Series(-(ease - ease.mean()), [f"d{k:02d}" for k in range(40)])[table.index]
    assert np.corrcoef(table["difficulty"], truth)[0, 1] > 0.97
    inside = (table["difficulty_low"] <= truth) & (truth <= table["difficulty_high"])
    assert inside.mean() >= 0.85
    assert (table["systems"] <= 6).all() and table["judgments"].sum() == len(frame)
    variance = fit_judgments(judgments)["raw"].variance
    assert np.sqrt(variance["document"]) == pytest.approx(ease.std(ddof=1), rel=0.25)
    assert np.sqrt(variance["residual"]) == pytest.approx(6, rel=0.1)


def test_the_system_on_easy_documents_gains_by_them():
    frame, ease = planted()
    table = variance_components(judged(frame, humans=("S3",))).difficulty_effects.set_index(
        "system"
    )
    of = frame["document"].str[1:].astype(int).map(pd.Series(ease))
    true = of.groupby(frame["system"]).mean()
    true = true - true.mean()
    # effects go by segments, the truth here by judgments
    assert table.loc["S0", "difficulty_effect"] == pytest.approx(true["S0"], abs=1.5)
    assert table.loc["S0", "effect_low"] > 0 and table["human"].sum() == 1
    assert table.loc["S0", "rank"] == 1
    without = table["mean_z"] - table["difficulty_effect_z"]
    assert table["score_without"].to_numpy() == pytest.approx(without.to_numpy())


def test_where_lower_is_better_signs_turn_and_ranks_do_not():
    frame, _ = planted()
    plain = variance_components(judged(frame)).difficulty_effects.set_index("system")
    errors = judged(frame.assign(score=100 - frame["score"]), lower_is_better=True)
    turned = variance_components(errors).difficulty_effects.set_index("system").loc[plain.index]
    assert turned["rank"].tolist() == plain["rank"].tolist()
    assert turned["difficulty_effect"].to_numpy() == pytest.approx(
        -plain["difficulty_effect"].to_numpy(), abs=1e-4
    )
    assert turned["mean_raw"].to_numpy() == pytest.approx(100 - plain["mean_raw"].to_numpy())
    assert (turned["effect_low"] <= turned["difficulty_effect"]).all()


def test_a_balanced_design_has_no_effect_of_documents():
    table = variance_components(load("demo-mqm", "en-de")).difficulty_effects
    assert (table["difficulty_effect"] == 0).all()
    assert (table["rank"] == table["rank_without"]).all() and "mean_z" not in table


def few(annotators, once):
    """Four systems on 12 documents of 3 segments; with `once`, each segment is judged once."""
    rng = np.random.default_rng(41)
    rows = []
    for k in range(36):
        for s in range(4):
            if not once or k % 4 == s:
                score = 40 + 5 * s + 4 * (k // 3 % 5) + rng.normal(0, 6)
                who = f"w{(k + s) % annotators}"
                rows.append((who, f"S{s}", f"d{k // 3:02d}", f"{k:02d}", score))
    names = ["annotator", "system", "document", "segment", "score"]
    return judged(pd.DataFrame(rows, columns=names))


@pytest.mark.parametrize(
    ("annotators", "once", "left_out"),
    [(1, False, {"annotator"}), (5, True, {"segment"}), (1, True, {"annotator", "segment"})],
)
def test_a_factor_that_is_not_determined_is_left_out(annotators, once, left_out):
    judgments = few(annotators, once)
    fitted = fit_judgments(judgments)["raw"]
    assert left_out <= set(fitted.left_out)
    assert all(fitted.variance[name] == 0 for name in left_out)
    table = variance_components(judgments).difficulty_effects
    assert np.isfinite(table[["difficulty_effect", "segment_effect_z"]].to_numpy()).all()
    assert len(variance_components(judgments).difficulty) == 12


def test_without_documents_nothing_is_estimated():
    frame, _ = planted()
    bare = frame.drop(columns="document").astype({"annotator": "category"})
    with pytest.raises(DataError) as caught:
        _ = variance_components(Judgments(bare, "direct_assessment")).difficulty_effects
    assert caught.value.code == "no_documents"


def test_effects_on_wmt21_are_those_of_version_0_3():
    real_data("newstest2021-toen")
    table = variance_components(load("wmt21", "cs-en")).difficulty_effects.set_index("system")
    assert table.loc["Online-A.5", "difficulty_effect"] == pytest.approx(0.244201, abs=1e-5)
    assert table.loc["Online-A.5", "effect_high"] == pytest.approx(0.436942, abs=1e-5)
    assert table["mean_z"].max() == pytest.approx(0.111335, abs=1e-6)


def test_released_segment_scores_are_weighted_by_their_judgments():
    real_data("newstest2020-segment-scores")
    judgments = load("wmt20", "en-cs")
    assert set(fit_judgments(judgments)["raw"].variance) == {
        "system",
        "document",
        "segment",
        "residual",
    }
    table = variance_components(judgments).difficulty_effects
    assert table["difficulty_effect"].notna().all()


def test_counted_judgments_are_those_of_the_scores():
    judgments = load("demo-srpdc", "de-en")
    table = variance_components(judgments).difficulty
    assert table["judgments"].sum() == score_arrays(judgments, "raw").n_judgments


def test_known_components_give_the_same_effects():
    """Effects are predicted from the table, and not from the fit that the table describes."""
    judgments = load("demo-srpdc", "de-en")
    components = variance_components(judgments)
    scores, fitted = segment_table(judgments), fit_judgments(judgments)
    of_documents, of_systems = (
        _by_document(*scores, fitted),
        _by_system(*scores, fitted, ("HUMAN.0",)),
    )
    pd.testing.assert_frame_equal(components.difficulty, of_documents, rtol=1e-6)
    effects = components.difficulty_effects
    pd.testing.assert_frame_equal(
        effects.drop(columns="human"), of_systems.drop(columns="human"), rtol=1e-6
    )
    assert "residual" in repr(components) and "<table" in components._repr_html_()
