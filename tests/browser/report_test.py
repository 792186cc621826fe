#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
"""The page of `espalier report` in a real browser.

Usage: report_test.py ESPALIER
Exit code 77 (skipped) where there is no chromium. Each page is loaded from disk; a script that is appended to a copy
of it then uses everything that can be clicked, pointed at or focused. What the browser says is the DOM afterwards.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ESPALIER = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
CHROMIUM = shutil.which("chromium")
SKIPPED = 77

USE_EVERYTHING = """<script>
for (const id of ['patterns', 'directions', 'levels'])
  for (let i = 0; i < document.getElementById(id).children.length; ++i) document.getElementById(id).children[i].click();
for (const kind of ['pointerenter', 'pointermove', 'click', 'pointerleave'])
  for (const element of document.querySelectorAll('.switch, .line, tr.pick'))
    element.dispatchEvent(new PointerEvent(kind, {clientX: 5, clientY: 5}));
document.querySelector('#levels button').click();
const type = (id, text) => { const box = document.getElementById(id); box.value = text; box.dispatchEvent(new Event('input')); };
type('remark-filter', 'no such word');
document.documentElement.dataset.remarks = document.querySelectorAll('#remarks li').length;
type('search', 'host 1');
document.documentElement.dataset.found = document.querySelectorAll('.switch.found').length;
document.documentElement.dataset.where = document.getElementById('found').textContent;
document.querySelector('.switch').focus();
document.documentElement.dataset.tip = document.getElementById('tip').textContent;
document.documentElement.dataset.lit = document.querySelectorAll('.line.on').length;
document.documentElement.dataset.images = document.images.length;
document.documentElement.dataset.used = 'all';
</script></body>"""


def browse(page, *options):
    """The DOM of a file after its scripts."""
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             f"--user-data-dir={profile}", *options, "--dump-dom", page.as_uri()],
            check=True, capture_output=True, text=True, timeout=120).stdout


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def espalier(self, *arguments):
        subprocess.run([ESPALIER, *arguments], cwd=self.folder, check=True, capture_output=True)

    def page(self, *generator, edit=lambda text: text):
        """The path of a report on a generated fabric, whose net file `edit` may change."""
        self.espalier("generate", *generator, "-o", "net")
        net = self.folder / "net"
        net.write_text(edit(net.read_text()))
        self.espalier("route", "net", "--engine", "dmodc", "-o", "lfts")
        self.espalier("report", "net", "lfts", "--shifts", "100", "-o", "report.html")
        return self.folder / "report.html"

    def dragonfly(self, *generator, damage=()):
        """The same of a dragonfly, which needs lanes; without the links of `damage`."""
        self.espalier("generate", *generator, "-o", "net")
        for link in damage:
            self.espalier("degrade", "net", "--remove", link, "-o", "less")
            (self.folder / "less").rename(self.folder / "net")
        self.espalier("route", "net", "--engine", "dragonfly", "--lanes", "lanes", "-o", "lfts")
        self.espalier("report", "net", "lfts", "--lanes", "lanes", "--shifts", "20", "-o", "report.html")
        return self.folder / "report.html"

    def used(self, page):
        """The DOM after everything was used."""
        copy = page.with_name("used.html")
        copy.write_text(page.read_text().replace("</body>", USE_EVERYTHING))
        dom = browse(copy)
        self.assertEqual(self.data(dom, "error"), None)
        self.assertEqual(self.data(dom, "used"), "all")
        return dom

    @staticmethod
    def data(dom, name):
        match = re.search(rf'<html[^>]* data-{name}="([^"]*)"', dom)
        return match and match[1]

    @staticmethod
    def drawn_switches(dom):
        return len(set(re.findall(r'<rect[^>]* data-guid="(0x[0-9a-f]{16})"', dom)))

    def test_draws_every_switch_of_a_small_tree_and_every_pair_of_neighbors(self):
        dom = browse(self.page("pgft", "2;4,6;1,4;1,2"))
        self.assertEqual(self.data(dom, "error"), None)
        self.assertEqual(self.data(dom, "drawn"), "10")
        self.assertEqual(self.drawn_switches(dom), 10)
        self.assertEqual(len(re.findall(r"<path[^>]* data-line=", dom)), 24)
        self.assertIn("Sound: all", dom)

    def test_everything_on_it_can_be_used(self):
        dom = self.used(self.page("pgft", "2;4,6;1,4;1,2"))
        self.assertIn("flows on its fullest channel", self.data(dom, "tip"))
        self.assertEqual(self.data(dom, "lit"), "4")  # the lines of the first switch, a leaf below four spines

    def test_finds_a_host_by_its_name_and_filters_what_is_irregular(self):
        dom = self.used(self.page("pgft", "2;4,6;1,4;1,2"))
        self.assertEqual(self.data(dom, "found"), "1")
        self.assertEqual(self.data(dom, "where"), "on leaf 0")
        self.assertEqual(self.data(dom, "remarks"), "0")

    def test_shows_two_routings_with_one_scale(self):
        self.page("pgft", "2;4,6;1,4;1,2")
        self.espalier("report", "net", "lfts", "balanced", "-o", "both.html")
        dom = browse(self.folder / "both.html")
        self.assertEqual(len(re.findall(r"<iframe ", dom)), 2)
        self.assertIn("computed by balanced", dom)

    def test_draws_a_large_tree_in_groups_but_still_every_switch(self):
        dom = self.used(self.page("pgft", "3;18,6,12;1,18,6;1,1,1"))
        switches = 6 * 12 + 18 * 12 + 18 * 6
        self.assertEqual(self.drawn_switches(dom), switches)
        self.assertEqual(len(re.findall(r'class="box"', dom)), 12 + 12 + 18)
        self.assertEqual(len(re.findall(r"<path[^>]* data-line=", dom)), 12 + 12 * 18)

    def test_of_8640_hosts_is_small_and_drawn_whole(self):
        page = self.page("pgft", "3;18,20,24;1,18,20;1,1,1")
        self.assertLess(page.stat().st_size, 1_000_000)
        dom = self.used(page)
        self.assertEqual(self.drawn_switches(dom), 480 + 432 + 360)
        self.assertEqual(self.data(dom, "where")[:3], "on ")
        self.assertLess(dom.count("</"), 5_000)  # elements: a browser stays quick

    def assert_all_is_inside(self, dom):
        """Switches, boxes, names of groups and ends of lines lie within the drawing."""
        width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', dom).groups())
        drawing = dom[dom.index("<svg"):dom.index("</svg>")]
        places = re.findall(r'<(?:rect|text)[^>]*? x="(-?[\d.]+)" y="(-?[\d.]+)"', drawing)
        places += re.findall(r'[MLQ ](-?[\d.]+) (-?[\d.]+)', " ".join(re.findall(r' d="([^"]*)"', drawing)))
        self.assertGreater(len(places), 50)
        for x, y in places:
            self.assertTrue(0 <= float(x) <= width and 0 <= float(y) <= height, (x, y))

    def test_draws_a_small_dragonfly_as_rings_of_switches_in_a_circle_of_groups(self):
        dom = self.used(self.dragonfly("dragonfly", "2,4,2,9"))
        self.assertEqual(self.drawn_switches(dom), 36)
        self.assertEqual(len(re.findall(r"<path[^>]* data-line=", dom)), 9 * 6 + 36)
        self.assertEqual(re.findall(r">group (\d)</text>", dom), [str(g) for g in range(9)])
        self.assertIn("The groups and their load", dom)
        self.assertIn("9 groups, 90 links", dom)
        self.assertIn("None: a regular dragonfly.", dom)
        self.assertEqual(re.findall(r">(local|global)</button>", dom), ["global", "local"])
        self.assertEqual(self.data(dom, "lit"), "5")  # three local and two global links of the first switch
        self.assert_all_is_inside(dom)

    def test_draws_a_large_dragonfly_as_boxes_in_a_circle(self):
        page = self.dragonfly("dragonfly", "4,8,4,33")
        self.assertIn("share of the ideal load, 1,0", browse(page))  # 1 024 to 1 040 flows, not 1
        dom = self.used(page)
        self.assertEqual(self.drawn_switches(dom), 264)
        self.assertEqual(len(re.findall(r'class="box"', dom)), 33)
        self.assertEqual(len(re.findall(r"<path[^>]* data-line=", dom)), 33 + 33 * 32 // 2)
        self.assert_all_is_inside(dom)

    def test_says_what_a_damaged_dragonfly_lacks(self):
        dom = browse(self.dragonfly("dragonfly", "2,4,2,9", damage=["0x0002c90001000000/3", "0x0002c90001000000/6"]))
        self.assertIn("missing local link (1)", dom)
        self.assertIn("missing global link (1)", dom)
        self.assertNotIn("same-level link", dom)

    def test_draws_leaves_and_spines_of_a_dragonfly_plus(self):
        dom = self.used(self.dragonfly("megafly", "8;4,4,4;2"))
        self.assertEqual(self.drawn_switches(dom), 64)
        self.assertEqual(len(re.findall(r">group (\d)</text>", dom)), 8)
        self.assert_all_is_inside(dom)

    def test_takes_any_description_for_text(self):
        evil = "</script><img src=x onerror=document.title=1><!--"
        dom = self.used(self.page("pgft", "2;2,2;1,2;1,1", edit=lambda net: net.replace("leaf 0", evil)))
        self.assertEqual(self.drawn_switches(dom), 4)
        self.assertEqual(self.data(dom, "images"), "0")
        self.assertIn("&lt;/script&gt;&lt;img src=x", dom)
        self.assertIn("<title>net</title>", dom)

    def test_asks_for_nothing_outside_itself(self):
        text = self.page("pgft", "2;2,2;1,2;1,1").read_text()
        self.assertIn("default-src 'none'", text)
        outside = set(re.findall(r'(?:src|href)\s*=|url\(|@import|https?://[^\s\'"]+', text))
        self.assertEqual(outside, {"http://www.w3.org/2000/svg"})

    def test_of_a_single_switch_is_a_page_too(self):
        dom = browse(self.page("pgft", "1;4;1;1"))
        self.assertEqual(self.data(dom, "error"), None)
        self.assertEqual(self.drawn_switches(dom), 1)
        self.assertIn("No flow crosses a link between switches.", dom)


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: no chromium")
        sys.exit(SKIPPED)
    if ESPALIER is None:
        sys.exit(__doc__)
    unittest.main()
