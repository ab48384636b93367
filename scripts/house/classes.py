# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""Refuses classes of more than 40 member functions: all that the body declares, overloads, static ones, operators and
constructors included. It reads C++ as clang-format lays it out here: a body's brace follows a blank, an initializer's does
not, and the name of a function stands next to its parenthesis."""
import re

from house.tree import line_of

LARGEST = 40
FOLDERS = ("src", "libs", "tools", "include")
HEAD = re.compile(r"(?<!enum )(?<![\w<,(] )\b(?:class|struct)\s+(?:(?:alignas\([^)]*\)|\[\[[^\]]*\]\])\s*)*"
                  r"([A-Za-z_][\w:]*)(?:<[^{};]*>)?\s*(?:final\s*)?(?::[^{};]*)?\{")
LABEL = re.compile(r"^\s*(?:(?:public|private|protected):\s*)+")
TYPE = re.compile(r"(?:template\s*<.*>\s*)?(?:class|struct|union|enum)\b", re.S)
OTHER = re.compile(r"(?:using|typedef|friend|static_assert|namespace)\b")
IGNORED = re.compile(r"\[\[[^\]]*\]\]|\b(?:alignas|decltype|explicit|requires)\s*\((?:[^()]|\([^()]*\))*\)|->")
INITIALIZED = re.compile(r"(?<!operator)(?<![=!<>])=(?!=)")


def check(tree):
    for folder in FOLDERS:
        for path in tree.files(folder):
            if tree.text(path).count("(") <= LARGEST:
                continue
            for name, line, count in classes(tree.code(path)):
                known = count > LARGEST and tree.excepted_if("class", covers(name, count))
                if count > LARGEST and not known:
                    tree.refuse(path, line, f"class {name} has {count} member functions, more than {LARGEST}; "
                                            "give parts of its work to classes of their own")


def covers(name, count):
    """An exception names the class and how many functions it may have until it is divided."""
    return lambda known: known.split()[0] == name and int(known.split()[-1]) >= count


def classes(code):
    """Name, line and number of member functions of each class whose body is here."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda found: "\n" * found.group().count("\n"), code, flags=re.M)
    for head in HEAD.finditer(code):
        yield head.group(1), line_of(code, head.start()), sum(map(is_function, declarations(code, head.end())))


def declarations(code, at):
    """The texts of what a class body declares, without the bodies of its functions and nested classes."""
    text, parentheses, skipping = "", 0, 0
    begin = at
    for token in re.compile(r"[{}();]").finditer(code, at):
        mark = token.group()
        if skipping:
            skipping += (mark == "{") - (mark == "}")
            begin = token.end()
            if not skipping and is_body:
                yield text
                text = ""
            continue
        text += code[begin:token.start()]
        begin = token.end()
        if mark == "}" and not parentheses:
            return
        if mark == "{":
            skipping = 1
            is_body = not parentheses and opens_body(text)
        elif mark == ";" and not parentheses:
            yield text
            text = ""
        else:
            parentheses += (mark == "(") - (mark == ")")
            text += mark


def opens_body(text):
    return text[-1:].isspace() and not TYPE.match(LABEL.sub("", text).lstrip()) and is_function(text)


def is_function(text):
    text = LABEL.sub("", text).strip()
    if OTHER.match(text) or TYPE.match(text):
        return False
    text = re.sub(r"^template\s*<[^;]*?>\s*(?=[\w\[~])", "", IGNORED.sub(" ", text), flags=re.S)
    if re.match(r"friend\b", text):
        return False
    if re.search(r"\boperator\b", text.split("=")[0]):
        return True
    text = INITIALIZED.split(text)[0]
    while (shorter := re.sub(r"<[^<>]*>", "", text)) != text:
        text = shorter
    return re.search(r"[\w~]\(", text) is not None
