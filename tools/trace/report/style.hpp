// SPDX-FileCopyrightText: 2026 The Starling authors
// SPDX-License-Identifier: BSD-3-Clause
// The style sheet of a report: readable by day, in the dark and in print. Colours are those of M. Okabe and K. Ito
// (2008), which people who do not see all colours tell apart; in the dark they are lighter.
#pragma once

#include <string_view>

namespace starling::trace::report {

inline constexpr std::string_view kStyle = R"css(
:root { --paper: #ffffff; --ink: #1c1f23; --soft: #5a6068; --line: #d5d9de; --card: #f5f6f8; --heat: #0060a8;
  --outside: #dde1e6; --c0: #d55e00; --c1: #b5578a; --c2: #e69f00; --c3: #7d848c; --c4: #3d8fd1; color-scheme: light; }
@media (prefers-color-scheme: dark) { :root { --paper: #15181c; --ink: #e6e8ea; --soft: #a3abb4; --line: #3a4149;
  --card: #1f2429; --heat: #6db8f2; --outside: #3a4149; --c0: #f08a4b; --c1: #dd93bd; --c2: #f2c14e; --c3: #9aa3ad;
  --c4: #6db8f2; color-scheme: dark; } }
@media print { :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb; --card: #ffffff; --heat: #0060a8;
  --outside: #dde1e6; --c0: #d55e00; --c1: #b5578a; --c2: #e69f00; --c3: #7d848c; --c4: #3d8fd1; color-scheme: light; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; }
.what, .more, footer { color: var(--soft); } .what { margin: 0 0 .7rem; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; }
.tiles b { display: block; font-size: 1.25rem; } .tiles span { color: var(--soft); font-size: .85rem; }
ol.advice { background: var(--card); border: 1px solid var(--line); border-radius: 6px; margin: 0;
  padding: .8rem 1rem .8rem 2.2rem; } ol.advice li { margin: .3rem 0; }
.wide { overflow-x: auto; } .tall { max-height: 36rem; overflow-y: auto; }
.tall th { position: sticky; top: 0; background: var(--paper); }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th { color: var(--soft); font-weight: 600; } th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line);
  text-align: right; white-space: nowrap; } th:first-child, td:first-child { text-align: left; }
td:first-child { white-space: normal; min-width: 6rem; overflow-wrap: anywhere; }
.words th:last-child, .words td:last-child { text-align: left; white-space: normal; min-width: 8rem; }
td.more { text-align: left; } td.text, th.text { text-align: left; white-space: normal; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
.axis { fill: var(--soft); } .field { fill: none; stroke: var(--line); } .heat { fill: var(--heat); }
.outside { fill: var(--outside); } .cause0 { fill: var(--c0); } .cause1 { fill: var(--c1); } .cause2 { fill: var(--c2); }
.cause3 { fill: var(--c3); } .cause4 { fill: var(--c4); }
@media print { * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } body { font-size: 11px; }
  main { max-width: none; padding: 0; } svg, .tiles, tr, ol.advice { break-inside: avoid; }
  h2, .what { break-after: avoid; } .wide { overflow: visible; } .tall { max-height: none; } table { font-size: 9px; }
  th, td { white-space: normal; padding: .15rem .3rem; } svg { max-height: 14cm; } }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: .6rem; font-size: .85rem; }
)css";

}  // namespace starling::trace::report
