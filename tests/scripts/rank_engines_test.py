# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""rank_engines.py on records written by hand."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "rank_engines.py"


def record(engine, amount, shifts, permutations=6, **fields):
    stock = engine in ("sssp", "minhop", "updn")
    whole = dict(fabric="tree.net", fingerprint="f", damage="links" if amount else "none", amount=amount, of=100, trial=0,
                 seed=1, engine=engine, via="opensm" if stock else "library", outcome="routed", engine_used=engine,
                 sound=True, credit_loop=False, wrong_entries=0, mu_sp_max=shifts, mu_rp_median=permutations)  # fmt: skip
    return whole | fields


class RankEnginesTest(unittest.TestCase):
    def tables(self, records):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.jsonl"
            file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
            done = subprocess.run([SCRIPT, file], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        tables = [[]]
        for line in done.stdout.splitlines():
            if line.startswith("|"):
                tables[-1].append([cell.strip() for cell in line.split("|")[1:-1]])
            elif tables[-1]:
                tables.append([])
        return [[dict(zip(t[0], row)) for row in t[2:]] for t in tables if t]

    def test_scores_are_geometric_means_of_quotients_by_the_best_of_each_run(self):
        summary, engines = self.tables([record("dmodc", 0, 4), record("ftree", 0, 8), record("dmodc", 9, 20), record("ftree", 9, 10)])
        self.assertEqual(engines[0]["shifts"], "4 / 20 / 1.41")
        self.assertEqual(engines[1]["shifts"], "8 / 10 / 1.41")
        self.assertEqual(summary[1]["best for shifts"], "(dmodc)")
        self.assertEqual(summary[1]["best for random permutations"], "dmodc, ftree")

    def test_seeds_are_runs_of_their_own(self):
        records = [record(engine, 9, risk, seed=seed) for seed, of in ((1, (4, 8)), (2, (20, 10)))
                   for engine, risk in zip(("dmodc", "ftree"), of)]  # fmt: skip
        _, engines = self.tables(records)
        self.assertEqual([e["shifts"].split()[-1] for e in engines], ["1.41", "1.41"])

    def test_classes_are_ranked_apart_against_the_best_of_both(self):
        summary, _ = self.tables([record("dmodc", 0, 10), record("updn", 0, 30), record("sssp", 0, 12), record("bfs-ftree", 0, 40)])
        self.assertEqual([row[""] for row in summary], ["agnostic", "topology-specific"])
        self.assertEqual(summary[0]["best for shifts"], "(OpenSM sssp)")
        self.assertEqual(summary[0]["good for shifts"], "OpenSM sssp")
        self.assertEqual(summary[0]["worst for shifts"], "bfs-ftree")
        self.assertEqual(summary[1]["best for shifts"], "dmodc")
        self.assertEqual(summary[1]["worst for shifts"], "OpenSM updn")

    def test_an_engine_that_loses_flows_or_declines_is_not_ranked_by_that(self):
        lost = record("updn", 9, 1, unrouted_sp=3)
        declined = record("sssp", 9, 1, engine_used="minhop")
        summary, engines = self.tables([record("dmodc", 9, 10), lost, declined])
        self.assertEqual(summary[1]["best for shifts"], "dmodc")
        self.assertEqual([(e["engine"], e["runs"]) for e in engines[1:]], [("OpenSM sssp", "0 of 1"), ("OpenSM updn", "0 of 1")])


if __name__ == "__main__":
    unittest.main()
