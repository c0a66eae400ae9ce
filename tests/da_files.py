"""Small files of direct assessment as the organisers release them: judgments, segment scores."""

import gzip

from companion.legacy.rankcampaigns.da import COLUMNS

HEADER = "\t".join(COLUMNS)
ROWS = [
    "H1\tw1\tcs\ten\tad\t3\tsysA+sysB\t1\tSYSTEM\tdoc1_1\t70\t10.5",
    "H1\tw1\tcs\ten\tad\t3\tsysA\t2\tSYSTEM\tdoc1_2\t80\t10.5",
    "H1\tw1\tcs\ten\tad\t3\tsysA\t3\tREPEAT\tdoc1_2\t75\t10.5",
    "NA\tw2\tcs\ten\tad\tNA\tsysB\tNA\tSYSTEM\tdoc2_1\t0\tNA",
    "NA\tw2\tcs\ten\tad\tNA\tHUMAN.0\tNA\tREF\tdoc2_1\t100\t1.0",
    "NA\tw2\tcs\ten\tad\tNA\tsysB\tNA\tBAD_REF\tdoc2_2\t3\t2.0",
    "H9\tw1\ten\tde\tad\t3\tsysC\t1\tSYSTEM\tdoc1_1\t55\t3.0",
]
REDUP = [ROWS[0].replace("sysA+sysB", "sysA"), ROWS[0].replace("sysA+sysB", "sysB"), *ROWS[1:]]


def write(folder, latest=ROWS, good=REDUP, header=True, sep="\t", end="\n", compress=False):
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("ad-latest.csv", latest), ("ad-good-raw-redup.csv", good)):
        text = end.join(([HEADER] if header else []) + list(rows)) + end
        data = text.replace("\t", sep).encode()
        path = folder / (name + ".gz" * compress)
        path.write_bytes(gzip.compress(data) if compress else data)
    return folder


def segment_file(folder, rows, name="ad-seg-scores-cs-en.csv"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("SYS SID RAW.SCR Z.SCR N \n" + "".join(f"{row} \n" for row in rows))
    return folder
