"""Models beside the z-score: against statsmodels and brute force, on known truth, on real data."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from conftest import needs
from companion.legacy.rankcampaigns.campaigns import find, load_da
from companion.legacy.rankcompanion.models import reml, variance
from companion.legacy.rankcompanion.notebooks.cooccurrence import least_squares
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import counted


def crossed_data(seed: int, n: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    system, worker, document = rng.integers(0, [5, 8, 12], (n, 3)).T
    y = (
        np.array([0, 2, 4, 5, 9.0])[system]
        + rng.normal(0, 4, 8)[worker]
        + rng.normal(0, 2, 12)[document]
        + rng.normal(0, 3, n)
    )
    return {"y": y, "system": system, "worker": worker, "document": document}


def test_fixed_effects_are_those_of_statsmodels():
    import statsmodels.formula.api as smf

    d = pd.DataFrame(crossed_data(1))
    ours, _ = least_squares(d.y.to_numpy(), d.system.to_numpy(), d.worker.to_numpy())
    fit = smf.ols("y ~ C(system) + C(worker)", d).fit()
    contrast = [fit.params[f"C(system)[T.{k}]"] for k in range(1, 5)]
    assert np.allclose(ours[1:] - ours[0], contrast, atol=1e-6)


def test_variance_components_are_those_of_mixedlm():
    from statsmodels.regression.mixed_linear_model import MixedLM

    d = pd.DataFrame(crossed_data(3, 250))
    names = ["system", "worker", "document"]
    ours = variance.crossed(d.y.to_numpy(), {n: d[n].to_numpy() for n in names})
    fit = MixedLM.from_formula(
        "y ~ 1", d, groups=np.ones(len(d)), vc_formula={n: f"0 + C({n})" for n in names}
    ).fit(reml=True)
    theirs = dict(zip(fit.model.exog_vc.names, fit.vcomp, strict=True)) | {"residual": fit.scale}
    for name, value in ours.variance.items():
        assert value == pytest.approx(theirs[name], rel=2e-3), name
    assert ours.mean == pytest.approx(fit.fe_params.iloc[0], abs=1e-2)


@pytest.mark.parametrize("workers", [2, 4, 8])
@pytest.mark.parametrize("spread", [0.0, 3.0])
def test_annotators_who_agree_exactly_leave_nothing_to_divide(workers, spread):
    """Some ended in an error of linear algebra, others gave all to worker and system together."""
    worker, system, segment = (a.ravel() for a in np.mgrid[:workers, :5, :12])
    hard = np.round(np.random.default_rng(1).normal(0, 1, 12) * spread)
    y = np.array([1, 3, 4, 7, 9.0])[system] + hard[segment]
    factors = {"system": system, "worker": worker, "document": segment // 3, "segment": segment}
    factors |= {"worker:system": worker * 5 + system, "document:system": segment // 3 * 5 + system}
    with pytest.raises(DataError, match="no variance is left over"):
        variance.crossed_where_possible(y, factors)
    noise = np.random.default_rng(2).normal(0, 0.01, len(y))
    found = variance.crossed_where_possible(y + noise, factors)
    assert found.variance["residual"] == pytest.approx(1e-4, rel=0.4)
    assert found.variance["worker:system"] < 1e-3 < found.variance["system"]


def campaign_factors(seed: int) -> dict[str, np.ndarray]:
    """Six workers, four systems, eight documents of three segments; some tasks left out."""
    rng = np.random.default_rng(seed)
    worker, system, document = (a.ravel() for a in np.mgrid[:6, :4, :8])
    there = rng.random(len(worker)) < 0.4
    of = np.repeat(np.flatnonzero(there), 3)
    segment = document[of] * 3 + np.tile(np.arange(3), int(there.sum()))
    return {
        "system": system[of],
        "worker": worker[of],
        "worker:system": worker[of] * 4 + system[of],
        "document": document[of],
        "document:system": document[of] * 4 + system[of],
        "segment": segment,
        "block": of,
    }


def test_factors_that_do_not_nest_print_no_complaint_of_the_linear_algebra(capfd):
    """A factor without others nested in it has an empty table to invert."""
    system, worker = (codes.ravel() for codes in np.mgrid[:3, :4])
    y = np.random.default_rng(3).normal(size=12)
    variance.crossed(y, {"system": system, "worker": worker})
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("weighted", [False, True])
def test_nested_equations_are_those_of_the_dense_likelihood(weighted):
    """Deviance, effects and their errors of all factors from the full covariance matrix."""
    factors = campaign_factors(6)
    rng = np.random.default_rng(7)
    n = len(factors["block"])
    y = rng.normal(0, 1, n)
    w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    log_ratio = np.log([0.5, 2.0, 0.7, 0.3, 0.4, 0.2, 0.6])
    codes = [np.unique(c, return_inverse=True)[1] for c in factors.values()]
    equations = variance.Equations(codes, w)
    fit = reml.fit_at(equations, y, log_ratio)
    v = np.diag(1 / w)
    for c, r in zip(codes, np.exp(log_ratio), strict=True):
        v += r * (c[:, None] == c[None, :])
    v *= fit.residual
    inverse, one = np.linalg.inv(v), np.ones(n)
    information = one @ inverse @ one
    rest = y - (one @ inverse @ y) / information
    dense = np.linalg.slogdet(v)[1] + np.log(information) + rest @ inverse @ rest
    assert fit.deviance + np.log(1 / w).sum() + n - 1 == pytest.approx(dense, abs=1e-8)
    project = inverse - np.outer(inverse @ one, inverse @ one) / information
    for c, r, effect, error in zip(
        codes, np.exp(log_ratio) * fit.residual, fit.effects, fit.errors, strict=True
    ):
        z = np.eye(int(c.max()) + 1)[c]
        assert np.allclose(effect, r * z.T @ inverse @ rest, atol=1e-9)
        theirs = r - r**2 * np.diag(z.T @ project @ z)
        assert np.allclose(error * fit.residual, theirs, atol=1e-9)
    for k in range(7):  # the gradient, against differences
        moved = [log_ratio + s * np.eye(7)[k] for s in (-1e-4, 1e-4)]
        low, high = (reml.fit_at(equations, y, m).deviance for m in moved)
        assert fit.gradient[k] == pytest.approx((high - low) / 2e-4, abs=1e-5)


def test_errors_of_log_ratios_are_those_of_the_likelihoods_curvature():
    d = crossed_data(12, n=3000)
    codes = [d[name] for name in ("system", "worker", "document")]
    equations = variance.Equations(codes, np.ones(3000))
    y = d["y"] - d["y"].mean()
    fit = reml.maximise(equations, y)
    curvature = np.zeros((3, 3))
    steps = 0.05 * np.eye(3)
    for i in range(3):
        for j in range(3):
            for a, b in product((-1, 1), repeat=2):
                at = fit.log_ratio + a * steps[i] + b * steps[j]
                curvature[i, j] += a * b * reml.fit_at(equations, y, at).deviance / 4 / 0.05**2
    expected = np.sqrt(np.diag(np.linalg.inv(curvature / 2)))  # of -2 log likelihood
    np.testing.assert_allclose(reml.log_errors(fit, np.ones(3, bool)), expected, rtol=0.1)
    assert np.isnan(reml.log_errors(fit, np.array([True, False, True]))[1])


def test_factors_that_divide_the_rows_alike_are_not_told_apart():
    factors = campaign_factors(8)
    factors["twin"] = factors["block"] * 7
    y = np.random.default_rng(9).normal(0, 1, len(factors["block"]))
    fit = variance.crossed_where_possible(y, factors)
    assert fit.left_out == ("twin",)
    assert fit.variance["twin"] == 0


FALLS = {  # INFERENCE: fall of the deviance for one more factor, its variance; both of two
    "cs-en": {"worker:system": (446, 50), "block": (712, 62), "document:system": (664, 64)},
    "ru-en": {"worker:system": (341, 40), "block": (1089, 69), "document:system": (1094, 70)},
}
BOTH = {"cs-en": (8, 55, 3), "ru-en": (0, 69, 2)}


@needs("wmt21")
@pytest.mark.parametrize("pair", FALLS)
def test_what_holds_together_on_wmt21(pair):
    """Worker by system, block and document by system: an independent fit's falls and variances."""
    da = load_da(find("wmt21"), pair)
    rows = counted(da.good)
    y, of = da.good["score"].to_numpy(float)[rows], variance.factors(da, rows)
    base = ["system", "worker", "document", "segment"]

    def fit(*more: str) -> variance.Components:
        return variance.crossed(y, {n: of[n] for n in [*base, *more]})

    alone = fit()
    for name, (fall, points) in FALLS[pair].items():
        more = fit(name)
        assert alone.deviance - more.deviance == pytest.approx(fall, abs=0.6)
        assert more.variance[name] == pytest.approx(points, abs=0.6)
    both = fit("worker:system", "block").variance
    given = [both[n] for n in ("worker:system", "block", "system")]
    assert given == pytest.approx(BOTH[pair], abs=0.6)


@needs("wmt21")
def test_the_search_does_not_stop_beside_a_variance_of_0():
    """WMT21 ja-en: no document by system; from any side the likelihood is lower."""
    da = load_da(find("wmt21"), "ja-en")
    rows = counted(da.good)
    y, of = da.good["score"].to_numpy(float)[rows], variance.factors(da, rows)
    fit = variance.crossed(y, of)
    assert fit.variance["document:system"] == 0
    codes = [np.unique(c, return_inverse=True)[1] for c in of.values()]
    equations = variance.Equations(codes, np.ones(len(y)))
    ratio = np.array([fit.variance[n] for n in of]) / fit.variance["residual"]
    z = (y - y.mean()) / y.std()
    best = reml.fit_at(equations, z, np.log(np.maximum(ratio, 1e-7)))
    there = ratio > 0
    assert np.abs(best.gradient[there]).max() < 0.02
    assert (best.gradient[~there] >= 0).all()


def test_combined_factors_divide_the_rows_as_a_group_by_does():
    rng = np.random.default_rng(4)
    levels = {"system": 4, "worker": 7, "document": 5, "segment": 20}
    frame = pd.DataFrame({name: rng.integers(n, size=600) for name, n in levels.items()})
    made = variance.combined_factors(**{name: frame[name].to_numpy() for name in levels})
    by = {name: name.split(":") for name in ("worker:system", "document:system", *levels)}
    by["block"] = ["worker", "document", "system"]
    assert set(made) == set(by)
    for name, columns in by.items():
        assert np.issubdtype(made[name].dtype, np.integer)
        codes = frame.groupby(columns).ngroup()
        assert (pd.factorize(made[name])[0] == pd.factorize(codes)[0]).all()
    some = variance.combined_factors(made["system"], made["segment"], document=made["document"])
    assert set(some) == {"system", "segment", "document", "document:system"}


def test_a_variance_not_told_from_0_has_an_interval_on_its_own_scale():
    """Beyond a factor of ten it reaches to 0; none without a variance, and of the residual."""
    ten = np.log([9.9, 10.1]) / variance.Z95
    log_error = {"worker": 0.2, "a": ten[0], "b": ten[1], "document": 60.0, "block": np.nan}
    parts = {"worker": 4.0, "a": 2.0, "b": 2.0, "document": 1e-5, "block": 0.0, "residual": 9.0}
    table = variance.Components(parts, 50.0, {}, 0.0, 100, log_error=log_error).table()
    half = np.exp(1.959964 * 0.2)
    low, high = [4 / half, 2 / 9.9, 0, 0], [4 * half, 19.8, 2 * (1 + np.log(10.1))]
    assert table["low"][:4].tolist() == pytest.approx(low)
    assert table["high"][:4].tolist() == pytest.approx([*high, 1e-5 * (1 + 1.959964 * 60)])
    assert table[["low", "high"]].iloc[4:].isna().all(axis=None)


def test_another_scale_of_scores_scales_components_and_effects():
    d = crossed_data(6)
    factors_of = {n: d[n] for n in ("system", "worker", "document")}
    one = variance.crossed(d["y"], factors_of)
    other = variance.crossed(7 * d["y"] + 3, factors_of)
    for name, value in one.variance.items():
        assert other.variance[name] == pytest.approx(49 * value, rel=1e-4)
    for name, table in one.effects.items():
        np.testing.assert_allclose(other.effects[name]["effect"], 7 * table["effect"], rtol=1e-3)
        np.testing.assert_allclose(other.effects[name]["se"], 7 * table["se"], rtol=1e-3)
        np.testing.assert_array_equal(other.effects[name]["rows"], np.bincount(d[name]))


def test_factors_of_which_none_is_nested_print_nothing(capfd):
    """LAPACK itself writes to the terminal where it is given a matrix without cells."""
    data = crossed_data(0)
    variance.crossed(data.pop("y"), data)
    assert capfd.readouterr() == ("", "")
