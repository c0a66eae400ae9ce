"""`verdict`: say how far one ranking, or several, can be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..arguments import check_arguments
from ..errors import DataError
from ..judgments import Judgments, check_judgments
from .answers import Questions
from .page import Verdict, split_by, verdict_on
from .several import Verdicts, verdicts_on


@check_arguments
def verdict(
    judgments: Judgments | Mapping[str, Judgments],
    output: str | Path = "",
    *,
    each: str | None = None,
    over_all: bool = False,
    procedure: str | None = None,
    unit: str | None = None,
    alpha: float = 0.05,
    ask: Sequence[Any] = (),
    baseline: str | None = None,
    candidates: bool = False,
    leaders: str | None = None,
    look: int = 1,
    looks: int | None = None,
    earlier: Judgments | None = None,
    title: str = "",
) -> Verdict | Verdicts:
    """Write a page on how far a ranking can be trusted, or pages that compare several rankings.

    The answer to a question is valid only if the question was asked before the scores were seen.
    Each answer has its own error rate.

    Parameters
    ----------
    judgments : Judgments, or a mapping of str to Judgments
        Judgments of any kind. A mapping holds several language pairs, tasks or criteria by name.
    output : str or Path
        A folder for the page, its numbers (``verdict.json``) and its tables. If empty, nothing is
        written.
    each : str, optional
        A column such as ``domain``. Each value of the column gets its own ranking.
    over_all : bool
        For several rankings: whether to answer which system is best over all rankings, with equal
        weights.
    procedure, unit, alpha
        See `rank_systems`. For several rankings, `alpha` is the error rate of each page, and also
        that of all leaders together.
    ask : pair of str, or sequence of pairs
        Question: Is the first system better than the second?
    baseline : str, optional
        Question: Which systems differ from this system?
    candidates : bool
        Question: Which system should be chosen, and how much could the choice cost?
    leaders : str, optional
        Question: Which system leads for each value of this column, such as ``domain``?
    look, looks : int, optional
        The number of the present look at a running campaign, and the number of planned looks.
    earlier : Judgments, optional
        Question: What changed since these earlier judgments of the same systems?
    title : str
        The name of the data on the page.

    Returns
    -------
    Verdict, or Verdicts for several rankings

    Raises
    ------
    DataError
        If `rank_systems` raises an error, if a question names an unknown system or column, or if
        the mapping is empty (``no_judgments``).

    Examples
    --------
    >>> import rankstability as rs
    >>> verdict = rs.verdict(rs.load("demo-srdc", "de-en"))
    >>> verdict.facts["n_drawn"], verdict.facts["n_drawn_supported"]
    (2, 1)
    >>> pairs = {pair: rs.load("demo-srdc", pair) for pair in ("de-en", "en-cs")}
    >>> list(rs.verdict(pairs).candidates)
    ['de-en', 'en-cs']
    """
    names = list(ask)
    is_pair = len(names) > 0 and all(isinstance(name, str) for name in names)
    pairs = [names] if is_pair else names
    if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise DataError("bad_setting", column="ask", value=str(ask), expected="two systems")
    if look != 1 and looks is None:
        raise DataError("argument_not_used", argument="look", data="a campaign without looks")
    asked = Questions(
        pairs=tuple((str(a), str(b)) for a, b in pairs),
        baseline=baseline,
        candidates=candidates,
        leaders=leaders,
        look=look,
        looks=looks,
        earlier=earlier,
    )
    shared: dict[str, Any] = {"procedure": procedure, "unit": unit, "alpha": alpha}
    made: Verdict | Verdicts
    if isinstance(judgments, Mapping):
        _refuse("each", each, "several rankings")
        made = verdicts_on(judgments, asked, over_all=over_all, title=title, **shared)
    elif each is not None:
        check_judgments(judgments)
        title = title or judgments.campaign or judgments.source
        parts = split_by(judgments, each)
        made = verdicts_on(parts, asked, over_all=over_all, title=title, **shared)
    else:
        _refuse("over_all", over_all, "a single ranking")
        made = verdict_on(judgments, asked, title=title, **shared)
    made.save(output)
    return made


def _refuse(argument: str, value: object, data: str) -> None:
    """Raise DataError ``argument_not_used`` for an argument that was given."""
    if value:
        raise DataError("argument_not_used", argument=argument, data=data, value=value)
