"""Runs as they are found on disk."""

import base64
import json
from pathlib import Path

from companion.legacy.paperkit import runs


def test_results_written_elsewhere_and_gone_are_looked_for_in_figures(tmp_path):
    saved = tmp_path / "executed" / "wmtx" / "01_tiny.status.json"
    saved.parent.mkdir(parents=True)
    saved.write_text(json.dumps({"status": "failed", "output_dir": str(tmp_path / "gone")}))
    (run,) = runs.read_runs(tmp_path / "executed", tmp_path / "figures")
    assert run.output_dir == tmp_path / "figures" / "wmtx" / "01_tiny"
    assert run.executed is None and run.status == "failed"
    kept = tmp_path / "elsewhere"
    kept.mkdir()
    saved.write_text(json.dumps({"status": "ok", "output_dir": str(kept)}))
    assert runs.read_runs(tmp_path / "executed", tmp_path / "figures")[0].output_dir == kept


def test_a_picture_that_git_leaves_out_leads_to_the_same_one_and_to_no_other(tmp_path, monkeypatch):
    """A figure of the same name but of other data is not the same figure."""
    for campaign, content in (("held", b"one"), ("mine", b"two")):
        (tmp_path / campaign / "09_simulation").mkdir(parents=True)
        (tmp_path / campaign / "09_simulation" / "advice.png").write_bytes(content)
    monkeypatch.setattr(runs, "kept", lambda file: "held" in file.parts)
    said = []
    for content in (b"one", b"two"):
        output = {
            "output_type": "display_data",
            "data": {"image/png": base64.b64encode(content).decode()},
            "metadata": {},
        }
        linked = runs._linked(
            output, {content: Path("advice.png")}, tmp_path / "mine/09_simulation"
        )
        said.append(linked["data"]["text/markdown"])
    assert said[0].endswith("[in held/09_simulation](../held/09_simulation.html#figure-advice).")
    assert said[1] == "![advice.png](advice.png)"
