#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plants a dead link or a name of code that is not there in a page, and sees that scripts/check_layers names its line."""
import sys
import unittest

from planted import Planted

HEADER = """#pragma once
namespace starling::p2p {
/// No Proxy any more.
class Sender {
  int send_packed();
  const char* by_ = "STARLING_EAGER_LIMIT and --eager-limit";
};
STARLING_CONFIG(limit, "RING_SLOTS", int, 1, "Postboxes.");
}
"""


class Links(Planted):
    def setUp(self):
        super().setUp()
        self.page("docs/other.md", "# Two words, `three`\n\n## Again\n\n## Again\n\n```\n# not a heading\n```\n")

    def test_that_lead_somewhere(self):
        for link in ("other.md", "other.md#two-words-three", "other.md#again-1", "../src/p2p/engine.hpp", "https://example.org/x",
                     "#here", "../src"):
            self.page("docs/page.md", f"# Here\n\nSee [it]({link}).\n")
            self.accepts()

    def test_to_a_file_that_is_not_there(self):
        self.page("docs/page.md", "# Here\n\nSee [it](another.md).\n")
        self.refuses("docs/page.md:3:", "'another.md' leads to no file")

    def test_to_a_heading_that_is_not_there(self):
        for link in ("other.md#three", "other.md#again-2", "#there", "other.md#not-a-heading"):
            self.page("docs/page.md", f"# Here\n\nSee [it]({link}).\n")
            self.refuses("docs/page.md:3:", f"'{link}' leads to no heading")

    def test_in_pages_beside_the_code(self):
        self.page("libs/farm/README.md", "[it](nothing.hpp)\n")
        self.refuses("libs/farm/README.md:1:", "leads to no file")

    def test_in_code_are_none(self):
        self.page("docs/page.md", "`f[x](y)`\n```\n[a](b)\n```\n")
        self.accepts()


class Width(Planted):
    LONG = "word " * 30

    def test_text_beyond_120_columns(self):
        self.page("docs/page.md", f"# Page\n\n{self.LONG.strip()}\n")
        self.refuses("docs/page.md:3:", "has 149 columns")

    def test_what_may_be_longer(self):
        for text in (f"| {self.LONG}|", f"```\n{self.LONG}\n```", "x" * 200, f"Written by a program.\n\n{self.LONG}"):
            self.page("docs/page.md", f"# Page\n\n{text}\n")
            self.accepts()


class Names(Planted):
    def setUp(self):
        super().setUp()
        self.write("src/p2p/sender.hpp", HEADER)

    def test_that_are_there(self):
        for name in ("Sender", "p2p::Sender", "send_packed()", "send_packed", "src/p2p/sender.hpp", "p2p/sender.hpp", "sender.hpp",
                     "src/p2p/", "src/<component>/*.hpp", "STARLING_EAGER_LIMIT=1", "STARLING_RING_SLOTS", "--eager-limit N", "--any-NAME",
                     "STARLING_RING_*", "starling::p2p::Sender::send_packed(a, b)", "plain words", "x", "std::vector"):
            self.page("docs/page.md", f"# Page\n\nIt is `{name}`.\n")
            self.accepts()

    def test_that_are_not_there(self):
        for name, missing in (("Receiver", "Receiver"), ("Proxy", "Proxy"), ("p2p::Receiver", "p2p::Receiver"), ("receive_packed()", "receive_packed"),
                              ("receive_packed", "receive_packed"), ("bury()", "bury"), ("src/p2p/receiver.hpp", "src/p2p/receiver.hpp"),
                              ("receiver.hpp", "receiver.hpp"), ("src/rma/", "src/rma/"), ("program --eager 3", "--eager"),
                              ("Sender::mourn(x)", "Sender::mourn"), ("STARLING_EAGER", "STARLING_EAGER"),
                              ("STARLING_LATE_*", "STARLING_LATE_*")):
            self.page("docs/page.md", f"# Page\n\nIt is `{name}`.\n")
            self.refuses("docs/page.md:3:", f"'{missing}' is nowhere in the tree")

    def test_of_a_variable_count_anywhere(self):
        self.page("docs/page.md", "Set STARLING_EAGER.\n")
        self.refuses("docs/page.md:1:", "'STARLING_EAGER'")
        self.page("docs/page.md", "```sh\nSTARLING_EAGER=1 program\n```\n")
        self.refuses("docs/page.md:2:", "'STARLING_EAGER'")

    def test_of_programs_in_blocks_do_not_count(self):
        self.page("docs/page.md", "```cpp\nMyClass my_object;\n```\n")
        self.accepts()

    def test_only_in_a_page_are_not_there(self):
        self.page("docs/page.md", "`Receiver`\n")
        self.page("docs/other.md", "Receiver\n")
        self.refuses("docs/page.md:1:", "'Receiver'")

    def test_on_a_page_that_is_written_are_there(self):
        self.page("docs/list.md", "<!-- Written by scripts/docs. -->\n`STARLING_COLL_BCAST`\n")
        self.page("docs/page.md", "`STARLING_COLL_BCAST`\n")
        self.accepts()

    def test_that_are_known(self):
        self.page("docs/page.md", "`AC_CHECK_FUNC`\n")
        self.write("scripts/house/exceptions.txt", "name | AC_CHECK_FUNC | autoconf's\n", comment="#")
        self.accepts()


if __name__ == "__main__":
    sys.exit(unittest.main())
