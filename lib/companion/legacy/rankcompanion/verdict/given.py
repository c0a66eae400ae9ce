"""The verdict of judgments in memory, as the page of a campaign's files would have it."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from companion.legacy.rankcampaigns.catalogue import Campaign
from companion.legacy.rankcampaigns.folder import READ
from companion.legacy.rankcampaigns.languages import PLACEHOLDER
from companion.legacy.rankstability.errors import DataError
from companion.legacy.rankstability.judgments import DirectAssessment
from companion.legacy.rankstability.kinds import COMPARISONS, ERRORS, kind_of

from ..running.session import Outputs, Run
from . import page
from .cases import cases

SEED = 2026
HEIGHT = 800  # pixels of the page in a notebook


@dataclass(frozen=True)
class Given(Campaign):
    """A campaign whose judgments are in memory: it has no files, and a title of the caller's."""

    @property
    def own(self) -> bool:
        """Whether human translations are declared, rather than named as organisers name them."""
        return "humans" in self.entry

    @property
    def headers(self) -> Mapping[str, str]:
        """No names of columns: those of a frame were told to `judgments`."""
        return {}

    @cached_property
    def pairs(self) -> tuple[str, ...]:
        """The one language pair."""
        return self.known_pairs

    @property
    def reading(self) -> pd.DataFrame:
        """No files, so that nothing was open."""
        return pd.DataFrame(columns=READ)

    @cached_property
    def unsaid(self) -> frozenset[str]:
        """Which of pair, document and annotator the judgments do not name."""
        return frozenset(self.entry["unsaid"])

    def files(self, pair: str = "") -> tuple[Path, ...]:
        """None."""
        return ()

    @cached_property
    def unread(self) -> tuple[tuple[str, str], ...]:
        """None."""
        return ()


class Said(dict[str, Any]):
    """What ``verdict.json`` holds, by key; Jupyter shows the page, which `page` holds."""

    page: bytes = b""

    def __repr__(self) -> str:
        return str(self["sentence"])

    def _repr_html_(self) -> str:
        inside = html.escape(self.page.decode(), quote=True)
        style = f"width:100%;height:{HEIGHT}px;border:0"
        return f'<iframe srcdoc="{inside}" sandbox="allow-scripts" style="{style}"></iframe>'


def verdict(
    judgments: DirectAssessment | pd.DataFrame,
    recipe: str = "auto",
    unit: str = "auto",
    alpha: float = 0.05,
    title: str = "",
) -> Said:
    """The verdict of judgments of one language pair; `title` names them on the page.

    Arguments are those of notebook 00. Raises DataError if the judgments cannot be ranked.
    """
    campaign = given(judgments, title or "These judgments")
    every = cases(campaign, campaign.pairs[0], judgments, recipe, unit)
    if len(every) > 1:
        names = ", ".join(one.name for one in every)
        raise DataError(
            "more than one task", value=names, expected="the rows of one task"
        )
    settings = {"recipe": recipe, "unit": unit, "alpha": alpha, "seed": SEED}
    with TemporaryDirectory() as folder:
        pairs = campaign.pairs
        out = Outputs(Path(folder))
        run = Run(campaign, pairs[0], pairs, False, out, shown=pairs)
        made = page.make(run, every[0], settings)
        file = Path(folder) / made.file
        said = Said(json.loads(file.with_suffix(".json").read_bytes()))
        said.page = file.read_bytes()
    return said


def given(judgments: DirectAssessment | pd.DataFrame, title: str) -> Given:
    """The campaign of judgments in memory, with what they say of their protocol and year."""
    if isinstance(judgments, DirectAssessment):
        protocol = "DA"
        pair = judgments.pair
        year = judgments.year
        form = judgments.form
        humans = judgments.humans
        named = {
            "annotator": True,
            "document": judgments.good["document"].notna().any(),
        }
    else:
        protocol, form = _protocol(judgments)
        year = judgments.attrs.get("year", 0)
        humans = judgments.attrs.get("humans")
        several = (
            judgments["pair"].unique()
            if "pair" in judgments
            else [PLACEHOLDER]
        )
        pair = str(several[0])
        people = "rater" if protocol == "MQM" else "judge"
        documents = judgments.get("document", pd.Series(dtype=str))
        named = {
            "annotator": people in judgments
            and (judgments[people].astype(str) != "").any(),
            "document": documents.astype(object)
            .replace("", None)
            .notna()
            .any(),
        }
    unsaid = [name for name, there in named.items() if not there]
    unsaid += ["pair"] if pair == PLACEHOLDER else []
    entry: dict[str, Any] = {"unsaid": unsaid}
    if humans is not None:
        entry["humans"] = list(humans)
    return Given(
        name="judgments", protocol=protocol, style="", tool="", year=year, folder=Path(),
        format=form, title=title, known_pairs=(pair,), entry=entry,
    )  # fmt: skip


def _protocol(judgments: pd.DataFrame) -> tuple[str, str]:
    """The protocol and the format of judgments that are a frame."""
    kind = kind_of(judgments)
    if kind == COMPARISONS:
        several = judgments["position"].max() > 2
        return "RR", judgments.attrs.get(
            "form", "rr" if several else "battles"
        )
    if kind == ERRORS:
        return "MQM", judgments.attrs.get("form", "mqm")
    return "DA", judgments.attrs.get("form", "long")
