"""The model of campaigns by relative ranking (Koehn 2012, Section 3): its sizes and spreads."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from ..errors import DataError


@dataclass(frozen=True)
class Model:
    """A campaign by relative ranking, simulated (Koehn 2012, Section 3).

    Parameters
    ----------
    systems : int
        Number of systems n, the reference not counted.
    spread : float
        Standard deviation of the quality of a system's outputs.
    block : int
        Outputs ranked together; a block gives C(block, 2) pairwise judgments.
    width : float
        Average qualities are uniform on [0, width].
    grain : float
        0: no ties, as in the paper. Else a judge sees quality in steps of `grain`, from an
        offset drawn for each block, and outputs on one step share a rank.
    reference : float, optional
        Average quality of a reference ranked with the systems as one more of them (the last).
    """

    systems: int = 15
    spread: float = 10.0
    block: int = 5
    width: float = 10.0
    grain: float = 0.0
    reference: float | None = None

    def __post_init__(self) -> None:
        if not 2 <= self.block <= self.outputs:
            raise DataError(
                "a block needs that many different systems",
                column="block",
                value=self.block,
                expected=f"from 2 to {self.outputs}",
            )
        if self.spread <= 0 or self.width <= 0 or self.grain < 0:
            raise DataError(
                "spread and width must be above 0, grain not below",
                value=(self.spread, self.width, self.grain),
            )

    @property
    def outputs(self) -> int:
        """What is ranked: the systems, and the reference if there is one."""
        return self.systems + (self.reference is not None)

    @property
    def per_block(self) -> int:
        """Pairwise judgments in a block."""
        return comb(self.block, 2)

    def names(self) -> list[str]:
        """``S01`` ... in order of index; the reference is ``_ref``."""
        digits = len(str(self.systems))
        names = [f"S{i + 1:0{digits}d}" for i in range(self.systems)]
        return names + (["_ref"] if self.reference is not None else [])
