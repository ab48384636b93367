# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""A manual page in roff. Text is what it says: everything that roff would read otherwise is escaped; *word* is bold and _word_ is
italic where marked() reads it."""
import re
import textwrap


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def marked(text):
    """Escaped text in which *words* are bold and _words_ are italic."""
    parts = re.split(r"(?<![\w*])(\*[^*\s](?:[^*]*[^*\s])?\*|_[^_\s](?:[^_]*[^_\s])?_)(?!\w)", text)
    done = []
    for part in parts:
        if len(part) > 2 and part[0] == part[-1] and part[0] in "*_" and part in parts[1::2]:
            done.append(f"\\f{'B' if part[0] == '*' else 'I'}{escaped(part[1:-1])}\\fP")
        else:
            done.append(escaped(part))
    return "".join(done)


class Page:
    def __init__(self, name, section, version, manual):
        self.name, self.section = name, section
        self.lines = ['.\\" SPDX-FileCopyrightText: 2026 The Starling authors', '.\\" SPDX-License-Identifier: BSD-3-Clause',
                      f'.TH "{escaped(name)}" "{section}" "" "Starling {version}" "{manual}"', ".nh", ".ad l"]

    def head(self, title):
        self.lines.append(f'.SH "{escaped(title)}"')

    def subhead(self, title):
        self.lines.append(f'.SS "{escaped(title)}"')

    def text(self, words):
        """A paragraph."""
        self.lines.append(".PP")
        self.words(words)

    def words(self, words):
        for line in textwrap.wrap(words, 100, break_on_hyphens=False, break_long_words=False):
            self.lines.append(self._safe(marked(line)))

    def item(self, tag, words):
        """A tag, which may have marks, and what is said of it."""
        self.lines += [".TP", self._safe(marked(tag))]
        self.words(words)

    def code(self, lines):
        """Lines as they are."""
        self.lines += [".PP", ".nf", *(self._safe(escaped(line)) if line else ".sp" for line in lines), ".fi"]

    @staticmethod
    def _safe(line):
        return "\\&" + line if line.startswith((".", "'")) else line

    def __str__(self):
        return "\n".join(self.lines) + "\n"


def link(name, section):
    """A page that shows another one."""
    return f".so man{section}/{name}.{section}\n"
