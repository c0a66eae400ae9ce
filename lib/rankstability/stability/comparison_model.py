"""A model of relative rankings whose true ranking is known (Koehn 2012): fit, simulate, plan."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..arguments import check_arguments, check_positive
from ..judgments import Judgments
from .simulate import ModelParameters, simulate_judgments
from .simulated_errors import rank_range_errors, ranking_errors
from .simulated_power import comparisons_needed, expected_share, fit_growth


class ComparisonModel(ModelParameters):
    """Simulate relative-ranking campaigns with a known true ranking (Koehn 2012, section 3).

    The true qualities of the systems are uniformly distributed from 0 to `width`. The quality of an
    output is normally distributed around the quality of its system. Annotators rank `block` outputs
    of a segment at a time, by the quality of these outputs.

    Parameters
    ----------
    systems : int
        The number of systems, without the reference.
    spread : float
        The standard deviation of the quality of a system's outputs: the only free parameter.
    block : int
        The number of outputs that are ranked together. Ranking them gives
        ``block * (block - 1) / 2`` comparisons.
    width : float
        The range of the true qualities.

    Raises
    ------
    DataError
        ``bad_block`` unless 2 <= block <= systems; ``not_positive``.

    Examples
    --------
    >>> import rankstability as rs
    >>> model = rs.ComparisonModel(systems=15, spread=10.0)
    >>> model.comparisons_needed([0.5, 0.9])["comparisons"].tolist()
    [10290.0, 339840.0]
    """

    @classmethod
    @check_arguments
    def fit(
        cls, judgments: Judgments, *, rng: np.random.Generator, orders: int = 20, sides: int = 1
    ) -> tuple[ComparisonModel, pd.DataFrame]:
        """Fit the spread at which simulated campaigns grow like a real one (Koehn, Figure 2).

        Blocks, or votes, are taken in random orders, and pairs of systems tested at 12 sizes. Of
        the whole numbers from 2 to 40, the spread is chosen whose expected share of significant
        pairs is closest by least squares.

        Parameters
        ----------
        judgments : Judgments
            Votes or relative rankings; the reference is left out.
        rng : Generator
        orders : int
            Random orders of the blocks.
        sides : int
            1: each direction is tested at 5 %; 2: the test is two-sided at 5 %.

        Returns
        -------
        model : ComparisonModel
            With the systems and the usual block of these judgments, and the spread that fits.
        growth : DataFrame
            A row per size: comparisons (with ties), decided (without), share, share_low,
            share_high (mean, lowest and highest share of significant pairs over orders), fitted
            (the share that the model expects); and, the same in all rows, systems, block (outputs
            in the usual block, without the reference) and spread.

        Raises
        ------
        DataError
            ``wrong_kind`` unless judgments are comparisons; ``too_few_systems``; ``bad_number``.

        Examples
        --------
        >>> import numpy as np
        >>> import rankstability as rs
        >>> judgments = rs.load("demo-rr", "cs-en")
        >>> model, growth = rs.ComparisonModel.fit(judgments, rng=np.random.default_rng(1), orders=4)
        >>> model.systems, model.block
        (8, 4)
        """
        growth = fit_growth(judgments, rng, orders, sides)
        last = growth.iloc[-1]
        model = cls(int(last["systems"]), float(last["spread"]), int(last["block"]))
        return model, growth

    @check_arguments
    def simulate(
        self,
        comparisons: int = 10_000,
        *,
        rng: np.random.Generator,
        annotators: int = 30,
        annotator_spread: float = 0.0,
    ) -> tuple[Judgments, pd.Series]:
        """Simulate one campaign.

        Parameters
        ----------
        comparisons : int
            The number of comparisons, rounded up to whole blocks.
        rng : Generator
        annotators : int
            The number of annotators. Blocks are assigned to annotators at random.
        annotator_spread : float
            The standard deviation of each annotator's lasting preference for each system; 0 in the
            paper.

        Returns
        -------
        judgments : Judgments
            Relative rankings.
        quality : Series
            The true quality of each system, best first.

        Raises
        ------
        DataError
            ``bad_number``.

        Examples
        --------
        >>> import numpy as np
        >>> import rankstability as rs
        >>> model = rs.ComparisonModel(systems=6)
        >>> judgments, quality = model.simulate(2000, rng=np.random.default_rng(1))
        >>> judgments.kind, judgments.n_judgments, len(quality)
        ('relative_ranking', 200, 6)
        """
        return simulate_judgments(self, comparisons, rng, annotators, annotator_spread)

    @check_arguments
    def significant_share(self, comparisons: float, sides: int = 1) -> float:
        """Return the share of pairs of systems that the sign test is expected to separate.

        Parameters
        ----------
        comparisons : float
            The size of the campaign.
        sides : int
            1: each direction is tested at 5 %; 2: the test is two-sided at 5 %.

        Examples
        --------
        >>> import rankstability as rs
        >>> round(rs.ComparisonModel().significant_share(13_000), 3)
        0.546
        """
        check_positive("comparisons", comparisons)
        return float(expected_share([comparisons], self, sides)[0])

    @check_arguments
    def comparisons_needed(
        self,
        shares: Sequence[float] = (0.5, 0.7, 0.8, 0.9),
        *,
        sides: int = 1,
        campaigns: int = 0,
        rng: np.random.Generator | None = None,
    ) -> pd.DataFrame:
        """Compute how many comparisons are needed to separate given shares of the pairs of systems.

        This is Table 4 of Koehn (2012).

        Parameters
        ----------
        shares : sequence of float
            The shares of pairs that the sign test should separate.
        sides : int
            1: each direction is tested at 5 %; 2: the test is two-sided at 5 %.
        campaigns : int
            The number of simulated campaigns for a band around the mean; 0 for no band. The width
            of the band depends mainly on how far apart the systems happen to be.
        rng : Generator
            The random generator, needed for a band.

        Returns
        -------
        DataFrame
            Columns systems, spread, share, comparisons (at which the expected share is reached; NaN
            beyond five million). With a band also fewer and more: the numbers of comparisons after
            which 10 % and 90 % of the campaigns have reached the share (NaN if 20 times the number
            is not enough).

        Raises
        ------
        DataError
            ``rng_needed`` for a band without a generator.

        Examples
        --------
        >>> import rankstability as rs
        >>> rs.ComparisonModel(systems=6, spread=8.0).comparisons_needed([0.5])["comparisons"].tolist()
        [970.0]
        """
        return comparisons_needed(self, shares, sides, campaigns, rng)

    @check_arguments
    def ranking_errors(
        self, comparisons: Sequence[int], *, campaigns: int = 100, seed: int = 0
    ) -> pd.DataFrame:
        """Compute how often ranking methods put a pair in the wrong order (Koehn, Figure 3).

        Parameters
        ----------
        comparisons : sequence of int
            The numbers of comparisons in a campaign, in ascending order.
        campaigns : int
            The number of simulated campaigns.
        seed : int
            The seed for all campaigns.

        Returns
        -------
        DataFrame
            Columns method (``wins_over_decided``, ``expected_win`` or ``feedback_arc_set``),
            comparisons, error (share of pairs in the wrong order), error_se (standard error),
            campaigns.

        Raises
        ------
        DataError
            ``not_ascending``, ``bad_number``.

        Examples
        --------
        >>> import rankstability as rs
        >>> errors = rs.ComparisonModel(systems=6).ranking_errors([1000, 4000], campaigns=20)
        >>> errors.set_index(["method", "comparisons"])["error"].loc["expected_win"].round(2).tolist()
        [0.13, 0.07]
        """
        return ranking_errors(self, comparisons, campaigns, seed)

    @check_arguments
    def rank_range_errors(
        self,
        comparisons: Sequence[int],
        *,
        campaigns: int = 20,
        resamples: int = 1000,
        trims: Sequence[int] | None = None,
        seed: int = 0,
    ) -> pd.DataFrame:
        """Compute how narrow and how correct rank ranges are (Koehn, Table 1).

        Parameters
        ----------
        comparisons, campaigns, seed
            See `ranking_errors`.
        resamples : int
            The number of bootstrap resamples. Comparisons are resampled.
        trims : sequence of int, optional
            The numbers of ranks that are removed at each end; by default 2.5 % of the resamples.

        Returns
        -------
        DataFrame
            Columns method (``pairwise`` or ``bootstrap``), sides (of the sign test; 0 for the
            bootstrap), trim (0 for the pairwise method), comparisons; size (mean number of ranks in
            a range), violations (share of systems whose true rank lies outside), clusters,
            cluster_violations (share of systems in a wrong cluster), each with its standard error
            ``..._se``; campaigns.

        Raises
        ------
        DataError
            As for `ranking_errors`; ``bad_trim`` if no rank would be left.

        Examples
        --------
        >>> import rankstability as rs
        >>> model = rs.ComparisonModel(systems=6)
        >>> ranges = model.rank_range_errors([2000], campaigns=4, resamples=100)
        >>> ranges[["method", "sides", "trim"]].to_numpy().tolist()
        [['pairwise', 1, 0], ['pairwise', 2, 0], ['bootstrap', 0, 2]]
        """
        return rank_range_errors(self, comparisons, campaigns, resamples, trims, seed)
