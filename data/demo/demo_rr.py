"""The demo campaign of relative ranking: invented systems, judges and segments, from one seed.

``python data/demo/demo_rr.py`` writes ``data/demo/demo-rr/demo.RNK_results.csv`` again, byte
for byte, in the form of WMT12. It has what real campaigns have: blocks of five in runs of three
segments, ties, outputs left without a rank, the reference among the systems, judges of different
care, repeats by the same judge and by another, and systems too close to tell apart.
"""

import io
from collections.abc import Iterator

import numpy as np

from rankstability.io.paths import demo_folder, shorten

SEED = 20126
FILE = demo_folder() / "demo-rr" / "demo.RNK_results.csv"
PAIRS = (("Czech", "English", "cs-en"), ("English", "German", "en-de"))
QUALITY = {  # in units of the spread of one system's outputs
    "_ref": 2.3,
    "alder": 0.60,
    "birch": 0.58,
    "cedar": 0.50,
    "elm": 0.36,
    "fir": 0.16,
    "hazel": 0.08,
    "larch": -0.55,
    "rowan": -0.65,
}
SEGMENTS, RUNS, BLOCK = 600, 110, 5
OWN_AGAIN, OTHER_AGAIN, LEFT_BLANK = 0.08, 0.14, 0.012


def rows(seed: int = SEED) -> Iterator[tuple[str, ...]]:
    """The header and the blocks, as text.

    A run is three consecutive segments with one judge, as on one screen of WMT. About 110 runs are
    drawn for each pair, and some are shown once more to the same judge or to another one.
    """
    slots = range(1, BLOCK + 1)
    yield (
        *("srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"),
        *(f"system{i}{what}" for i in slots for what in ("Number", "Id")),
        *(f"system{i}rank" for i in slots),
    )
    names = list(QUALITY)
    seeds = np.random.SeedSequence(seed).spawn(len(PAIRS))
    generators = [np.random.default_rng(each) for each in seeds]
    for (source, target, pair), rng in zip(PAIRS, generators, strict=True):
        quality = np.array(list(QUALITY.values())) + rng.normal(0, 0.12, len(names))
        value = quality + rng.normal(0, 1, (SEGMENTS, len(names)))  # what each output is worth
        judges = [f"{pair[:2]}{pair[3:]}-judge{k}" for k in range(1, 8)]
        noise, tie = rng.uniform(0.3, 0.9, len(judges)), rng.uniform(0.1, 0.6, len(judges))
        share = rng.dirichlet(np.full(len(judges), 3.0))
        for _ in range(RUNS):
            start = int(rng.integers(SEGMENTS // 3)) * 3
            shown = [rng.choice(len(names), BLOCK, replace=False) for _ in range(3)]
            judge = int(rng.choice(len(judges), p=share))
            draw = rng.random()
            again = [judge] if draw < OWN_AGAIN else []
            if OWN_AGAIN <= draw < OWN_AGAIN + OTHER_AGAIN:
                again = [int(rng.choice([k for k in range(len(judges)) if k != judge]))]
            for who in [judge, *again]:
                for k, systems in enumerate(shown):
                    segment = start + k
                    perceived = value[segment, systems] + rng.normal(0, noise[who], BLOCK)
                    ranks = _labels(perceived, tie[who])
                    ranks[rng.random(BLOCK) < LEFT_BLANK] = -1
                    document = f"{pair}.demo{segment // 30 + 1}"
                    place = (str(segment + 1), document, str(segment % 30 + 1), judges[who])
                    ids = [t for s in systems for t in (str(s + 1), names[s])]
                    yield (source, target, *place, *ids, *map(str, ranks))


def _labels(perceived: np.ndarray, tie: float) -> np.ndarray:
    """Ranks 1 to 5: a new label where the next output is worse by more than `tie`."""
    order = np.argsort(-perceived)
    steps = -np.diff(perceived[order]) > tie
    ranks = np.empty(len(order), dtype=int)
    ranks[order] = 1 + np.concatenate([[0], np.cumsum(steps)])
    return ranks


def main() -> None:
    """Write the file."""
    text = io.StringIO()
    for row in rows():
        text.write(",".join(row) + "\n")
    FILE.write_bytes(text.getvalue().encode())
    print(f"{shorten(FILE)}: {text.getvalue().count(chr(10)) - 1} blocks")


if __name__ == "__main__":
    main()
