// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
#include "trace/report/html.hpp"

#include "base/format.hpp"

namespace starling::trace::report {

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char each : text) {
    switch (each) {
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '&': safe += "&amp;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += each;
    }
  }
  return safe;
}

Table::Table(const std::vector<std::string>& heads) : columns_(heads.size()) {
  for (const std::string& each : heads) head_ += formatted("<th scope=\"col\">{}</th>", escaped(each));
}

void Table::row(const std::vector<std::string>& cells) {
  rows_ += "<tr>";
  for (const std::string& each : cells) rows_ += formatted("<td>{}</td>", each);
  rows_ += "</tr>\n";
}

void Table::below(const std::string& text) {
  rows_ += formatted("<tr><td class=\"more\" colspan=\"{}\">{}</td></tr>\n", columns_, escaped(text));
}

std::string Table::html() const {
  return formatted("<div class=\"{}\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n", classes_,
                   head_, rows_);
}

std::string section(std::string_view title, std::string_view explanation, std::string_view body) {
  return formatted("<section><h2>{}</h2>\n<p class=\"what\">{}</p>\n{}</section>\n", escaped(title),
                   escaped(explanation), body);
}

}  // namespace starling::trace::report
