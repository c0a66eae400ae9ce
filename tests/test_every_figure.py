"""Every kind of figure of every notebook as readers get it: laid out, on two demo campaigns."""

from itertools import pairwise

import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from figure_faults import faults, written
from in_process import without_a_kernel
from companion.legacy.paperkit import parameters, paths
from companion.legacy.rankcompanion.figures import common
from companion.legacy.rankcompanion.running import run, session

SMALL = {"draws": 20, "resamples": 50, "splits": 4, "studies": 10, "permutations": 50}
SMALL |= {"agreement_resamples": 20}
LAYOUT = {"figure.constrained_layout.use": True, "savefig.bbox": "tight"}
CAMPAIGNS = {"DA": ("demo-srdc", "demo-srpdc"), "RR": ("demo-rr",), "MQM": ("demo-mqm",)}
LEAST = 0.1  # of the figure's width and height, for axes other than colour bars


def campaigns_of(notebook: str, protocol: str) -> tuple[str, ...]:
    """The demos of a protocol that a notebook takes; one names judge models."""
    if parameters.metadata(notebook).get("judges"):
        return ("demo-judges",) if protocol == "DA" else ()
    return CAMPAIGNS[protocol]


CASES = [
    (file.stem, campaign)
    for file in sorted(paths.NOTEBOOKS.glob("[01][0-9]_*.ipynb"))
    for protocol in parameters.metadata(file.stem)["protocols"]
    for campaign in campaigns_of(file.stem, protocol)
]


def narrow(fig: Figure) -> list[str]:
    """Axes other than colour bars that are narrower or lower than `LEAST` of their figure."""
    boxes = [ax.get_position() for ax in fig.axes if ax.get_label() != "<colorbar>"]
    least = [min(box.width, box.height) for box in boxes]
    return [
        f"axes {k} take {share:.2f} of the figure" for k, share in enumerate(least) if share < LEAST
    ]


def slanted(fig: Figure) -> list[str]:
    """Slanted labels of ticks that are nearer to one another than their letters are high."""
    found = []
    fig.canvas.draw()
    for ax in fig.axes:
        labels = [t for t in ax.get_xticklabels() if t.get_text() and t.get_rotation() % 90]
        places = sorted(t.get_window_extent().x1 for t in labels)
        for left, right in pairwise(places):
            if right - left < 0.7 * labels[0].get_fontsize() * fig.dpi / 72:
                found.append(f"labels {right - left:.0f} pixels apart")
    return found


@pytest.mark.parametrize(("notebook", "campaign"), CASES)
def test_no_axes_are_narrow_and_no_labels_meet(notebook, campaign, tmp_path, monkeypatch):
    drawn_so_far: dict[str, list[str]] = {}
    plain = session.Outputs.figure

    def looked_at(out, fig, name, pair="", data=None, seen=""):
        if name not in drawn_so_far:
            with common.style():
                fig.draw_without_rendering()
                fig.set_layout_engine("none")
                drawn_so_far[name] = [*narrow(fig), *slanted(fig), *faults(fig, written(fig))]
        plt.close(fig)
        return plain(out, Figure((1, 1)), name, pair, data, seen)  # quick to write

    monkeypatch.setattr(session.Outputs, "figure", looked_at)
    monkeypatch.setattr(run, "_papermill", without_a_kernel)
    monkeypatch.setattr(common, "HOUSE", common.HOUSE | LAYOUT)
    known = {one.name for one in parameters.parameters(notebook)}
    given = {name: value for name, value in SMALL.items() if name in known}
    run.execute(
        notebook, {"campaign": campaign, "output_dir": str(tmp_path / "out"), **given}, True
    )
    assert {name: found for name, found in drawn_so_far.items() if found} == {}
