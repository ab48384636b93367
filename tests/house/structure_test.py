#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plants a ring, a large class or an unpinned struct in a good tree, and sees that scripts/check_layers names its line."""
import sys
import unittest

from planted import Planted

PINNED = """#pragma once
struct Page {
  int magic;
};
static_assert(sizeof(Page) == 4);
constexpr auto kLayout = fingerprint({sizeof(Page)});
"""


class Rings(Planted):
    def test_of_folders(self):
        self.write("src/p2p/match/queue.hpp", "#pragma once\n")
        self.write("src/p2p/send/rules.hpp", "#pragma once\n")
        self.write("src/p2p/match/match.cpp", '#include "p2p/send/rules.hpp"\n')
        self.accepts()
        self.write("src/p2p/send/send.cpp", '#include "base/status.hpp"\n#include "p2p/match/queue.hpp"\n')
        self.refuses("src/p2p/match/match.cpp:3:", "ring of folders in src/p2p", "p2p/match -> p2p/send -> p2p/match")

    def test_of_a_folder_and_the_files_beside_it(self):
        self.write("src/p2p/match/queue.hpp", '#pragma once\n#include "p2p/types.hpp"\n')
        self.write("src/p2p/types.hpp", "#pragma once\n")
        self.accepts()
        self.write("src/p2p/engine.cpp", '#include "p2p/engine.hpp"\n#include "p2p/match/queue.hpp"\n')
        self.refuses("src/p2p/engine.cpp:4:", "ring of folders", "p2p -> p2p/match -> p2p")

    def test_of_files_whose_headers_have_no_cycle(self):
        self.write("src/p2p/receiver.hpp", '#pragma once\n#include "p2p/engine.hpp"\n')
        self.accepts()
        self.write("src/p2p/engine.cpp", '#include "p2p/engine.hpp"\n#include "p2p/receiver.hpp"\n')
        self.refuses("src/p2p/engine.cpp:4:", "ring of files in src/p2p", "engine -> receiver -> engine")

    def test_of_three(self):
        for one, next_one in ("ab", "bc", "ca"):
            self.write(f"src/p2p/{one}.hpp", "#pragma once\n")
            self.write(f"src/p2p/{one}.cpp", f'#include "p2p/{one}.hpp"\n#include "p2p/{next_one}.hpp"\n')
        self.refuses("src/p2p/a.cpp:4:", "a -> b -> c -> a")

    def test_in_a_library_and_in_a_tool(self):
        for area in ("libs/farm", "tools/run"):
            self.write(f"{area}/one.hpp", '#pragma once\n#include "two.hpp"\n')
            self.write(f"{area}/two.hpp", "#pragma once\n")
            self.write(f"{area}/two.cpp", '#include "two.hpp"\n#include "one.hpp"\n')
            self.refuses(f"{area}/one.hpp:4:", f"ring of files in {area}", "one -> two -> one")
            self.write(f"{area}/two.cpp", '#include "two.hpp"\n')

    def test_that_is_known_may_shrink_and_not_grow(self):
        self.test_of_files_whose_headers_have_no_cycle()
        for known, refused in (("src/p2p: engine receiver", 0), ("src/p2p: engine receiver sender", 0), ("src/p2p: engine sender", 1),
                               ("src/mpi: engine receiver", 1)):
            self.write("scripts/house/exceptions.txt", f"ring | {known} | old\n", comment="#")
            self.assertEqual(self.run_check().returncode, refused, known)


class Classes(Planted):
    def with_members(self, functions, more=""):
        lines = "".join(f"  void f{i}(int a = g({i}), int b = 0) const noexcept {{ if (a) {{ h(); }} }}\n"
                        for i in range(functions))
        self.write("src/p2p/large.hpp", f"#pragma once\nclass Large : public Base<int> {{\n public:\n{lines}{more}}};\n")

    def test_of_forty_functions(self):
        self.with_members(40)
        self.accepts()

    def test_of_one_more(self):
        self.with_members(41)
        self.refuses("src/p2p/large.hpp:4:", "class Large has 41 member functions")

    def test_every_kind_of_function_counts(self):
        for function in ("Large() : a_(1), b_{2} {}", "~Large();", "Large(const Large&) = delete;", "bool operator==(const Large&) const;",
                         "explicit operator bool() const { return true; }", "static std::map<int, int> of(int (*f)(int));",
                         "template <typename T>\n  T get(T&& t) {\n    return t;\n  }", "virtual void none() = 0;",
                         "[[nodiscard]] auto at(int i) const -> std::pair<int, int>;", "void operator()(int) noexcept;"):
            self.with_members(40, f"  {function}\n")
            self.refuses("src/p2p/large.hpp:4:", "41 member functions")

    def test_what_is_no_function_does_not_count(self):
        for other in ("int a_ = f(1);", "int a_{f(2)};", "std::function<void(int)> f_;", "void (*run_)(int);", "using F = int (*)();",
                      "friend void g(Large&);", "friend class Other;", "static_assert(sizeof(int) == 4);", "// void f();",
                      "alignas(64) std::atomic<int> b_{0};", "enum class E { kOne };", "std::function<int()> h_ = [] { return f(); };",
                      "struct Part {\n    void f();\n    int g() { return 1; }\n  } part_;", 'const char* s_ = "f();}";'):
            self.with_members(40, f"  {other}\n")
            self.accepts()

    def test_a_nested_class_counts_by_itself(self):
        lines = "".join(f"    int f{i}();\n" for i in range(41))
        self.with_members(3, f"  struct Part {{\n{lines}  }};\n")
        self.refuses("src/p2p/large.hpp:9:", "class Part has 41")

    def test_a_class_of_a_public_header(self):
        lines = "".join(f"  int f{i}();\n" for i in range(41))
        self.write("include/starling/farm.hpp", f"#pragma once\nstruct Farm final {{\n{lines}}};\n")
        self.refuses("include/starling/farm.hpp:4:", "class Farm has 41")

    def test_that_is_known_may_not_grow(self):
        self.write("scripts/house/exceptions.txt", "class | Large 41 | old\n", comment="#")
        self.with_members(41)
        self.accepts()
        self.with_members(42)
        self.assertIn("src/p2p/large.hpp:4: class Large has 42", self.run_check().stdout)


class SharedStructs(Planted):
    def made_by(self, expression, header=PINNED):
        self.write("src/memory/page.hpp", header)
        self.write("src/memory/page.cpp", f'#include "memory/page.hpp"\nvoid f(void* memory) {{ {expression}; }}\n')

    def setUp(self):
        super().setUp()
        (self.root / "src/layers.txt").write_text("mpi\np2p\ntransport bootstrap\nmemory\nbase\n")

    def test_pinned_and_folded(self):
        self.made_by("use(reinterpret_cast<Page*>(memory))")
        self.accepts()

    def test_without_a_size(self):
        for expression in ("use(reinterpret_cast<const Page*>(memory))", "auto* p = new (memory) Page", "use(static_cast<Page*>(memory))"):
            self.made_by(expression, PINNED.replace("static_assert", "// "))
            self.refuses("src/memory/page.hpp:4:", "struct Page", "size is not pinned")

    def test_a_limit_pins_no_size(self):
        self.made_by("new (memory) Page", PINNED.replace("==", "<="))
        self.refuses("src/memory/page.hpp:4:", "size is not pinned")

    def test_without_a_version(self):
        self.made_by("new (memory) Page", PINNED.replace("sizeof(Page)}", "sizeof(Other)}"))
        self.refuses("src/memory/page.hpp:4:", "struct Page", "no version")

    def test_with_a_magic_word(self):
        self.made_by("new (memory) Page", PINNED.replace("fingerprint({sizeof(Page)})", "0; constexpr int kMagic = 7"))
        self.accepts()

    def test_folded_in_another_file(self):
        self.made_by("new (memory) Page", PINNED.replace("fingerprint({sizeof(Page)})", "0"))
        self.assertIn("no version", self.run_check().stdout)
        self.write("src/p2p/layout.cpp", "constexpr auto k = memory::fingerprint({1,\n  sizeof(memory::Page)});\n")
        self.accepts()

    def test_that_its_comment_calls_shared(self):
        for comment in ("/// In shared memory.", "/// Travels between ranks."):
            self.write("libs/farm/head.hpp", f"#pragma once\n{comment}\nstruct alignas(64) Head {{\n  int kMagic;\n}};\n")
            self.refuses("libs/farm/head.hpp:5:", "struct Head", "size is not pinned")


class Exceptions(Planted):
    def test_that_nothing_needs(self):
        self.write("scripts/house/exceptions.txt", "class | Large 41 | old\n", comment="#")
        self.refuses("scripts/house/exceptions.txt:3:", "nothing needs", "class | Large 41")

    def test_without_a_reason(self):
        self.write("scripts/house/exceptions.txt", "class | Large 41\n", comment="#")
        self.refuses("scripts/house/exceptions.txt:3:", "reason")


if __name__ == "__main__":
    sys.exit(unittest.main())
