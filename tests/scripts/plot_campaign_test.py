# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""plot_campaign.py on records written by hand."""

import json
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_campaign.py"


def record(**fields):
    whole = dict(fabric="tree.net", fingerprint="f", damage="none", amount=0, of=0, trial=0, seed=1, engine="dmodc",
                 via="library", outcome="routed", engine_used="dmodc", sound=True, credit_loop=False, wrong_entries=0,
                 ms=1500, cpu_ms=1250, peak_kib=2048, hosts=16, switches=8, mu_sp_max=4, mu_rp_median=2.5)  # fmt: skip
    return whole | fields


def stock(**fields):
    minhop = {"via": "opensm", "engine": "minhop", "engine_used": "minhop", "sound": False, "credit_loop": True}
    return record(**(minhop | fields))


def links(amount, **fields):
    return {"damage": "links", "amount": amount, "of": 100} | fields


class PlotCampaignTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_script(self, records, *arguments, tail=""):
        text = "".join(json.dumps(r) + "\n" for r in records) + tail
        (self.folder / "records.jsonl").write_text(text, encoding="utf-8")
        return subprocess.run([SCRIPT, self.folder, *arguments], capture_output=True, text=True, check=False)

    def table(self, records, **options):
        done = self.run_script(records, "--table", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]

    def plot(self, records, *arguments):
        done = self.run_script(records, "-o", self.folder / "plots", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return {p.name: p.read_text(encoding="utf-8") for p in (self.folder / "plots").iterdir()}

    def test_a_row_for_each_damage_and_engine_the_whole_fabric_first(self):
        rows = self.table([stock(**links(3)), record(), stock(engine="ftree")])
        self.assertEqual(rows[0], ["tree", "none", "dmodc", "dmodc", "0", "no", "4", "2.5", "1.5", "1.25", "2"])
        self.assertEqual(rows[1][2:4], ["OpenSM ftree", "minhop"])
        self.assertEqual(rows[2][1:6], ["3 links", "OpenSM minhop", "minhop", "0", "yes"])

    def test_one_of_a_kind_is_said_as_one_and_found_again(self):
        hit = {"damage": "switches", "amount": 1, "of": 4}
        rows = self.table([record(), record(**links(1)), record(**hit)])
        self.assertEqual([row[1] for row in rows], ["none", "1 link", "1 switch"])
        self.plot([stock(), stock(**hit)])
        earlier = (self.folder / "plots" / "summary.csv").rename(self.folder / "earlier.csv")
        self.assertIn("OpenSM minhop", self.plot([record(), record(**hit)], "--also", earlier)["damage_switches.svg"])

    def test_several_trials_are_a_mean_and_a_range(self):
        rows = self.table([record(**links(3, trial=t, mu_sp_max=m)) for t, m in enumerate((4, 7, 7))])
        self.assertEqual(rows[0][5:7], ["0 of 3", "6 (4 to 7)"])

    def test_older_records_call_the_trial_a_throw(self):
        new = [record(**links(3, trial=t, mu_sp_max=m)) for t, m in enumerate((4, 7))]
        old = [{"throw" if key == "trial" else key: value for key, value in r.items()} for r in new]
        self.assertEqual(self.table(old), self.table(new))

    def test_a_run_that_failed_has_a_row_without_figures(self):
        failed = stock(outcome="failed", reason="no")
        for field in ("engine_used", "sound", "credit_loop", "wrong_entries", "ms", "cpu_ms", "peak_kib", "mu_sp_max"):
            del failed[field]
        rows = self.table([failed])
        self.assertEqual(rows[0], ["tree", "none", "OpenSM minhop", "failed", "", "", "", "", "", "", ""])

    def test_half_a_record_at_the_end_does_not_count(self):
        self.assertEqual(len(self.table([record()], tail='{"fabric": "tr')), 1)

    def test_records_of_different_things_are_not_trials_of_one(self):
        for fields in ({"fingerprint": "g"}, {"lid_offset": "all"}, {"order": "topology"}, {"types": "t"}):
            done = self.run_script([record(), record(mu_sp_max=9, **fields)], "--table")
            self.assertEqual(done.returncode, 1, fields)
            self.assertIn("records.jsonl:2: tree.net: records of different ", done.stderr)

    def test_anything_else_is_refused_by_file_and_line(self):
        done = self.run_script([record()], "--table", tail='{"fabric": "tree.net"}\n')
        self.assertEqual(done.returncode, 1)
        self.assertIn("records.jsonl:2: this is not a record", done.stderr)

    def test_one_picture_for_each_kind_of_damage(self):
        hit = record(damage="switches", amount=1, of=4)
        files = self.plot([record(), stock(), record(**links(3)), stock(**links(3)), hit])
        self.assertEqual(set(files), {"damage_links.svg", "damage_switches.svg", "summary.csv"})
        xml.fromstring(files["damage_links.svg"])
        for words in ("dmodc", "OpenSM minhop", "worst shift", "links removed, of 100", "prefers-color-scheme:dark"):
            self.assertIn(words, files["damage_links.svg"])
        self.assertLess(len(files["damage_links.svg"]), 60000)

    def test_what_another_engine_routed_is_not_drawn(self):
        declined = stock(engine="ftree", **links(3))
        lost = stock(engine="updn", engine_used="updn", unrouted_sp=5, **links(3))
        files = self.plot([record(), record(**links(3)), declined, lost])
        self.assertNotIn("ftree", files["damage_links.svg"])
        self.assertNotIn("updn", files["damage_links.svg"])

    def test_pictures_of_chosen_lines_and_a_table_of_all(self):
        files = self.plot([record(), record(**links(3)), stock(), stock(**links(3))], "--only", "OpenSM minhop")
        self.assertIn("minhop", files["damage_links.svg"])
        self.assertNotIn("dmodc", files["damage_links.svg"])
        self.assertIn("dmodc", files["summary.csv"])
        done = self.run_script([record()], "-o", self.folder / "plots", "--only", "minhop")
        self.assertEqual((done.returncode, "no records of" in done.stderr), (1, True))

    def test_lines_of_an_earlier_summary_that_the_records_do_not_have(self):
        lost = stock(engine="updn", engine_used="updn", **links(3, wrong_entries=9))
        self.plot([record(mu_sp_max=77), stock(), *(stock(**links(3, trial=t, mu_sp_max=5 + t)) for t in (0, 1)), lost])
        earlier = (self.folder / "plots" / "summary.csv").rename(self.folder / "earlier.csv")
        files = self.plot([record(), record(**links(3))], "--also", earlier)
        self.assertIn("OpenSM minhop", files["damage_links.svg"])
        rows = [line.split(",") for line in files["summary.csv"].splitlines()[1:]]
        self.assertEqual([r[1:3] + r[6:7] for r in rows], [
            ["none", "dmodc", "4"], ["3 links", "dmodc", "4"], ["none", "OpenSM minhop", "4"],
            ["3 links", "OpenSM minhop", "5.5 (5 to 6)"], ["3 links", "OpenSM updn", "4"]])  # fmt: skip
        self.assertNotIn("updn", files["damage_links.svg"])

    def test_the_band_of_random_permutations_spans_their_quantiles(self):
        bare = self.plot([record(), record(**links(3))])["damage_links.svg"]
        quantiles = {"mu_rp_q40_1": 2, "mu_rp_q40_39": 4}
        self.assertNotIn("opacity", bare)
        self.assertIn("opacity", self.plot([record(**quantiles), record(**links(3), **quantiles)])["damage_links.svg"])

    def test_run_times_of_whole_fabrics_of_several_sizes(self):
        sizes = [record(fabric=f"{n}.net", fingerprint=str(n), hosts=n) for n in (16, 128)]
        files = self.plot(sizes + [record(), record(**links(3))])
        self.assertIn(">128<", files["run_time.svg"])
        self.assertEqual(files["run_time.svg"].count(">16<"), 1)

    def test_each_damaged_fabric_has_pictures_of_its_own(self):
        other = {"fabric": "bush.net", "fingerprint": "b"}
        files = self.plot([record(), record(**links(3)), record(**other), record(**links(2, **other))])
        self.assertLessEqual({"tree_damage_links.svg", "bush_damage_links.svg"}, set(files))

    def test_pictures_have_the_whole_name_of_a_fabric(self):
        bushes = [{"fabric": f"bush.{n}", "fingerprint": str(n)} for n in (8, 9)]
        files = self.plot([record(**links(3, **bush)) for bush in bushes])
        self.assertLessEqual({"bush.8_damage_links.svg", "bush.9_damage_links.svg"}, set(files))

    def test_what_an_earlier_call_drew_of_other_fabrics_stays(self):
        records = [record(), record(**links(3))]
        earlier = self.plot(records)
        done = self.run_script([r | {"fabric": "bush.net"} for r in records], "-o", self.folder / "plots")
        self.assertEqual((done.returncode, "summary.csv is about tree: give another folder" in done.stderr), (1, True))
        self.assertEqual(self.plot(records), earlier)

    def test_a_file_that_is_missing_is_one_line(self):
        done = self.run_script([record()], self.folder / "none.jsonl", "--table")
        self.assertEqual((done.returncode, done.stderr), (1, f"{self.folder}/none.jsonl: No such file or directory\n"))

    def test_the_same_records_give_the_same_bytes(self):
        records = [record(), record(**links(3)), stock(**links(3))]
        self.assertEqual(self.plot(records), self.plot(records))


if __name__ == "__main__":
    unittest.main()
