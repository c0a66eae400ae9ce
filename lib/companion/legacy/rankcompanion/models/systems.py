"""The systems of direct assessment: which are references, and whether there are enough to rank."""

import pandas as pd

from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import (
    DirectAssessment,
    human_systems,
    of_type,
    ranked_systems,
    system_ids,
)


def reference_systems(da: DirectAssessment) -> tuple[str, ...]:
    """Ids of rows of type REF in either frame: ``REFERENCE``, or ids of real systems; sorted."""
    references = [
        frame.loc[of_type(frame, "REF"), "system"]
        for frame in (da.latest, da.good)
    ]
    return system_ids(pd.concat(references))


def at_least_two(da: DirectAssessment, machine: bool = False) -> None:
    """Raises DataError if fewer than two systems are ranked or, with `machine`, all are human."""
    ranked = ranked_systems(da)
    if len(ranked) < 2:
        raise DataError(
            f"fewer than two systems in {da.pair}",
            value=ranked,
            expected="two systems or more; run the other pairs with pair=",
        )
    if machine and set(ranked) <= set(human_systems(da)):
        raise DataError(
            f"only human systems in {da.pair}",
            value=ranked,
            expected="a system that is not human; run the other pairs with pair=",
        )
