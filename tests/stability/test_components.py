"""Variance components: against statsmodels and brute force, on known truth, on real data."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from rankstability.errors import DataError
from rankstability.io.load import load
from rankstability.scores.build import score_arrays
from rankstability.stability import components, reml
from real import real_data


def crossed_data(seed, n=400):
    rng = np.random.default_rng(seed)
    system, annotator, document = rng.integers(0, [5, 8, 12], (n, 3)).T
    y = (
        np.array([0, 2, 4, 5, 9.0])[system]
        + rng.normal(0, 4, 8)[annotator]
        + rng.normal(0, 2, 12)[document]
        + rng.normal(0, 3, n)
    )
    return {"y": y, "system": system, "annotator": annotator, "document": document}


def test_variances_are_those_of_statsmodels():
    from statsmodels.regression.mixed_linear_model import MixedLM

    data = pd.DataFrame(crossed_data(3, 250))
    names = ["system", "annotator", "document"]
    ours = components.fit_components(data.y.to_numpy(), {n: data[n].to_numpy() for n in names})
    formula = {name: f"0 + C({name})" for name in names}
    fit = MixedLM.from_formula("y ~ 1", data, groups=np.ones(len(data)), vc_formula=formula)
    fit = fit.fit(reml=True)
    theirs = dict(zip(fit.model.exog_vc.names, fit.vcomp, strict=True)) | {"residual": fit.scale}
    for name, value in ours.variance.items():
        assert value == pytest.approx(theirs[name], rel=2e-3), name
    assert ours.mean == pytest.approx(fit.fe_params.iloc[0], abs=1e-2)


@pytest.mark.parametrize("annotators", [2, 8])
@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_annotators_who_agree_exactly_leave_no_variance_to_divide(annotators, spread):
    annotator, system, segment = (a.ravel() for a in np.mgrid[:annotators, :5, :12])
    hard = np.round(np.random.default_rng(1).normal(0, 1, 12) * spread)
    y = np.array([1, 3, 4, 7, 9.0])[system] + hard[segment]
    factors = components.combine_factors(system, segment, annotator, segment // 3)
    del factors["block"]
    with pytest.raises(DataError) as caught:
        components.fit_estimable(y, factors)
    assert caught.value.code == "no_variance_left"
    noise = np.random.default_rng(2).normal(0, 0.01, len(y))
    found = components.fit_estimable(y + noise, factors)
    assert found.variance["residual"] == pytest.approx(1e-4, rel=0.4)
    assert found.variance["annotator x system"] < 1e-3 < found.variance["system"]


def campaign_factors(seed):
    """Six annotators, four systems, eight documents of three segments; some tasks left out."""
    rng = np.random.default_rng(seed)
    annotator, system, document = (a.ravel() for a in np.mgrid[:6, :4, :8])
    judged = np.repeat(np.flatnonzero(rng.random(len(annotator)) < 0.4), 3)
    segment = document[judged] * 3 + np.tile(np.arange(3), len(judged) // 3)
    return components.combine_factors(system[judged], segment, annotator[judged], document[judged])


@pytest.mark.parametrize("weighted", [False, True])
def test_nested_equations_give_the_dense_likelihood(weighted):
    """Deviance, effects and errors of all factors, from the full covariance matrix."""
    factors = campaign_factors(6)
    rng = np.random.default_rng(7)
    n = len(factors["block"])
    y = rng.normal(0, 1, n)
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    log_ratio = np.log([0.5, 2.0, 0.7, 0.3, 0.4, 0.2, 0.6])
    codes = [np.unique(c, return_inverse=True)[1] for c in factors.values()]
    equations = reml.Equations(codes, w)
    fit = reml.fit_at(equations, y, log_ratio)
    v = np.diag(1 / w)
    for c, ratio in zip(codes, np.exp(log_ratio), strict=True):
        v += ratio * (c[:, None] == c[None, :])
    v *= fit.residual
    inverse, one = np.linalg.inv(v), np.ones(n)
    information = one @ inverse @ one
    rest = y - (one @ inverse @ y) / information
    dense = np.linalg.slogdet(v)[1] + np.log(information) + rest @ inverse @ rest
    assert fit.deviance + np.log(1 / w).sum() + n - 1 == pytest.approx(dense, abs=1e-8)
    project = inverse - np.outer(inverse @ one, inverse @ one) / information
    variances = np.exp(log_ratio) * fit.residual
    for c, r, effect, error in zip(codes, variances, fit.effects, fit.errors, strict=True):
        z = np.eye(int(c.max()) + 1)[c]
        assert np.allclose(effect, r * z.T @ inverse @ rest, atol=1e-9)
        theirs = r - r**2 * np.diag(z.T @ project @ z)
        assert np.allclose(error * fit.residual, theirs, atol=1e-9)
    for k in range(7):  # the gradient, against differences
        steps = [log_ratio + step * np.eye(7)[k] for step in (-1e-4, 1e-4)]
        low, high = (reml.fit_at(equations, y, moved).deviance for moved in steps)
        assert fit.gradient[k] == pytest.approx((high - low) / 2e-4, abs=1e-5)


def test_errors_of_log_ratios_come_from_the_curvature_of_the_likelihood():
    data = crossed_data(12, n=3000)
    codes = [data[name] for name in ("system", "annotator", "document")]
    equations = reml.Equations(codes, np.ones(3000))
    y = data["y"] - data["y"].mean()
    fit = reml.maximise(equations, y)
    curvature = np.zeros((3, 3))
    steps = 0.05 * np.eye(3)
    for i, j, (a, b) in product(range(3), range(3), product((-1, 1), repeat=2)):
        moved = fit.log_ratio + a * steps[i] + b * steps[j]
        curvature[i, j] += a * b * reml.fit_at(equations, y, moved).deviance / 4 / 0.05**2
    expected = np.sqrt(np.diag(np.linalg.inv(curvature / 2)))  # of -2 log likelihood
    np.testing.assert_allclose(reml.log_errors(fit, np.ones(3, bool)), expected, rtol=0.1)
    assert np.isnan(reml.log_errors(fit, np.array([True, False, True]))[1])


def test_of_factors_that_divide_the_rows_alike_one_is_left_out():
    factors = campaign_factors(8)
    factors["copy"] = factors["block"] * 7
    y = np.random.default_rng(9).normal(0, 1, len(factors["block"]))
    fit = components.fit_estimable(y, factors)
    assert fit.left_out == ("copy",)
    assert fit.variance["copy"] == 0
    assert not fit.table().set_index("component").loc["copy", "estimated"]


def test_without_documents_or_annotators_their_factors_are_absent():
    factors = campaign_factors(4)
    some = components.combine_factors(
        factors["system"], factors["segment"], document=factors["document"]
    )
    assert set(some) == {"system", "segment", "document", "document x system"}
    frame = pd.DataFrame({name: factors[name] for name in ("system", "annotator", "document")})
    codes = frame.groupby(["annotator", "document", "system"]).ngroup()
    assert (pd.factorize(factors["block"])[0] == pd.factorize(codes)[0]).all()


def test_a_variance_that_could_be_0_has_an_interval_on_its_own_scale():
    """Beyond a factor of ten the interval reaches 0; none for a variance of 0 and the residual."""
    ten = np.log([9.9, 10.1]) / components.Z95
    log_error = {"annotator": 0.2, "a": ten[0], "b": ten[1], "document": 60.0, "block": np.nan}
    parts = {"annotator": 4.0, "a": 2.0, "b": 2.0, "document": 1e-5, "block": 0.0, "residual": 9.0}
    table = components.Components(parts, 50.0, {}, 0.0, log_error=log_error).table()
    half = np.exp(1.959964 * 0.2)
    low = [4 / half, 2 / 9.9, 0, 0]
    high = [4 * half, 19.8, 2 * (1 + np.log(10.1)), 1e-5 * (1 + 1.959964 * 60)]
    assert table["variance_low"][:4].tolist() == pytest.approx(low)
    assert table["variance_high"][:4].tolist() == pytest.approx(high)
    assert table[["variance_low", "variance_high"]].iloc[4:].isna().all(axis=None)


def test_another_scale_of_scores_scales_components_and_effects():
    data = crossed_data(6)
    factors = {name: data[name] for name in ("system", "annotator", "document")}
    plain = components.fit_components(data["y"], factors)
    scaled = components.fit_components(7 * data["y"] + 3, factors)
    for name, value in plain.variance.items():
        assert scaled.variance[name] == pytest.approx(49 * value, rel=1e-4)
    for name, table in plain.effects.items():
        other = scaled.effects[name]
        np.testing.assert_allclose(other["effect"], 7 * table["effect"], rtol=1e-3)
        np.testing.assert_allclose(other["se"], 7 * table["se"], rtol=1e-3)


def test_factors_of_which_none_is_nested_print_nothing(capfd):
    """LAPACK itself writes to the terminal if it is given a matrix without cells."""
    data = crossed_data(0)
    components.fit_components(data.pop("y"), data)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("y", "code"), [([50.0, 50, 50, 50], "equal_scores"), ([1.0, 2], "too_few_scores")]
)
def test_scores_without_variance_are_refused(y, code):
    labels = np.arange(len(y)) % 2 if len(y) > 2 else np.zeros(2, int)
    with pytest.raises(DataError) as caught:
        components.fit_estimable(np.array(y), {"system": labels})
    assert caught.value.code == code


def test_the_table_of_judgments_names_score_and_component():
    table = components.component_table(load("demo-srpdc", "de-en"))
    assert table["score"].unique().tolist() == ["raw", "z"]
    assert table["component"][:8].tolist() == [*components.FACTORS, "residual"]
    assert table.groupby("score")["share"].sum().tolist() == pytest.approx([1, 1])
    raw = table[table["score"] == "raw"].set_index("component")["variance"]
    assert raw["annotator"] == pytest.approx(72.797, abs=0.01)  # as in version 0.3.0
    assert raw["residual"] == pytest.approx(281.767, abs=0.01)
    with pytest.raises(DataError) as caught:
        components.component_table(load("demo-rr", "cs-en"))
    assert caught.value.code == "wrong_kind"


# INFERENCE: fall of the deviance for one more factor, its variance; both variances of two
FALLS = {
    "cs-en": {"annotator x system": (446, 50), "block": (712, 62), "document x system": (664, 64)},
    "ru-en": {
        "annotator x system": (341, 40),
        "block": (1089, 69),
        "document x system": (1094, 70),
    },
}
BOTH = {"cs-en": (8, 55, 3), "ru-en": (0, 69, 2)}


@pytest.mark.parametrize("pair", FALLS)
def test_interactions_on_wmt21_are_those_of_an_independent_fit(pair):
    real_data("newstest2021-toen")
    arrays = score_arrays(load("wmt21", pair), "raw")
    codes = components.factor_codes(arrays)
    base = ["system", "annotator", "document", "segment"]

    def fit(*more):
        return components.fit_components(arrays.score, {n: codes[n] for n in [*base, *more]})

    alone = fit()
    for name, (fall, points) in FALLS[pair].items():
        more = fit(name)
        assert alone.deviance - more.deviance == pytest.approx(fall, abs=0.6)
        assert more.variance[name] == pytest.approx(points, abs=0.6)
    both = fit("annotator x system", "block").variance
    given = [both[name] for name in ("annotator x system", "block", "system")]
    assert given == pytest.approx(BOTH[pair], abs=0.6)


def test_the_search_does_not_stop_beside_a_variance_of_0():
    """WMT21 ja-en has no document x system; from any side the likelihood is lower."""
    real_data("newstest2021-toen")
    arrays = score_arrays(load("wmt21", "ja-en"), "raw")
    codes = components.factor_codes(arrays)
    fit = components.fit_components(arrays.score, codes)
    assert fit.variance["document x system"] == 0
    levels = [np.unique(c, return_inverse=True)[1] for c in codes.values()]
    equations = reml.Equations(levels, np.ones(arrays.n_judgments))
    ratio = np.array([fit.variance[name] for name in codes]) / fit.variance["residual"]
    y = (arrays.score - arrays.score.mean()) / arrays.score.std()
    best = reml.fit_at(equations, y, np.log(np.maximum(ratio, 1e-7)))
    positive = ratio > 0
    assert np.abs(best.gradient[positive]).max() < 0.02
    assert (best.gradient[~positive] >= 0).all()
