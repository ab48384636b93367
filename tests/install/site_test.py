#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""scripts/site: every page and manual page is in it, every link leads somewhere, nothing comes from a network.

usage: site_test.py BUILD_FOLDER
"""
import shutil
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path()


class Page(HTMLParser):
    """The places of a page, where its links lead, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.places, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.places.add(attributes.get("id"))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        if attributes.get("src"):
            self.loads.append(attributes["src"])
        if tag == "link" and attributes.get("rel") != "canonical":
            self.loads.append(attributes["href"])


def make(root, *arguments):
    return subprocess.run([root / "scripts/site", *arguments], capture_output=True, text=True, timeout=200, check=False)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.top = Path(cls.folder.name).resolve() / "site"
        cls.made = make(ROOT, cls.top, BUILD)
        cls.pages = {path: Page(path.read_text()) for path in cls.top.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_is_made_without_a_complaint(self):
        self.assertEqual((self.made.returncode, self.made.stderr), (0, ""))
        self.assertEqual(self.made.stdout, f"{self.top}/index.html: {len(self.pages)} pages\n")

    def test_has_every_page_and_manual_page(self):
        for source in (ROOT / "docs").rglob("*.md"):
            name = "index" if source.name == "README.md" else source.stem
            page = self.top / source.relative_to(ROOT).with_name(f"{name}.html")
            self.assertIn(page, self.pages)
        manuals = [path.name for path in (BUILD / "share/man").glob("man*/*")]
        self.assertGreater(len(manuals), 600)
        for name in manuals:
            self.assertIn(self.top / "man" / f"{name}.html", self.pages)

    def test_every_link_leads_somewhere(self):
        for path, page in self.pages.items():
            for link in page.links + page.loads:
                to = urlparse(link)
                if to.scheme or to.netloc:
                    continue
                target = (path.parent / unquote(to.path)).resolve() if to.path else path
                self.assertTrue(target.exists() and not link.startswith("/"), f"{path}: {link}")
                if to.fragment and target in self.pages:
                    self.assertIn(unquote(to.fragment), self.pages[target].places, f"{path}: {link}")

    def test_nothing_comes_from_a_network(self):
        for path, page in self.pages.items():
            self.assertEqual([load for load in page.loads if urlparse(load).netloc], [], path)

    def test_its_search_knows_the_pages(self):
        index = (self.top / "search/search_index.json").read_text()
        self.assertIn("docs/howto/see.html", index)
        self.assertIn("man/index.html", index)


class Refuses(unittest.TestCase):
    def copied(self, folder):
        for name in ("docs", "scripts", "api", "recipes", "src"):
            shutil.copytree(ROOT / name, Path(folder) / name)
        for path in ROOT.glob("*.md"):
            shutil.copy(path, folder)
        shutil.copy(ROOT / "LICENSE", folder)
        return Path(folder)

    def test_a_link_that_leads_nowhere(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.copied(folder)
            with (root / "docs/howto/see.md").open("a") as page:
                page.write("\n[More](no_such_page.md)\n")
            made = make(root, root / "out", root / "no build")
            self.assertEqual(made.returncode, 1)
            self.assertIn("no_such_page.md", made.stderr)
            self.assertIn("has no manual pages", made.stdout)

    def test_an_option(self):
        made = make(ROOT, "--help")
        self.assertEqual(made.returncode, 1)
        self.assertIn("usage: scripts/site", made.stderr)


if __name__ == "__main__":
    BUILD = Path(sys.argv.pop(1))
    unittest.main()
