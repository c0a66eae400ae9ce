"""What a verdict says of judge models: beside people, whose verdict does not know of them."""

from typing import Any

import pandas as pd

from companion.legacy.rankcampaigns import judges

from ..notebooks.judges import tables
from .case import Case

ODD = [
    "judge",
    "lacking",
    "constant",
    "equal",
]  # of what is said about a judge
COLUMNS = [*tables.COLUMNS[2:], *ODD[1:]]


def table(campaign: Any, one: Case, alpha: float = 0.05) -> pd.DataFrame:
    """Judges (and another annotator of people) beside the people of a case; may be empty.

    Columns are those of ``judges.csv`` from judge on, and `ODD`. People's scores are as the recipe
    has them. Raises DataError as `notebooks.judges.tables` does.
    """
    none = pd.DataFrame(columns=COLUMNS)
    if not campaign.judged or one.extra:
        return none
    said = judges.read(campaign, one.pair)
    if said is None:
        return none
    if one.battles is not None:
        people = tables.people_votes(campaign, one.pair)
        rows, orders, _ = tables.of_votes(
            people, said, one.battles.every, alpha
        )
    else:
        documents = tables.documents(one.judgments)
        study = tables.Study("", one.own, documents, tables.as_scores(said))
        rows, orders = tables.compared(study, {}, alpha)
    return rows.merge(orders[ODD], on="judge", how="left")[COLUMNS]
