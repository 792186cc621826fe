// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/report/report_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/io/export/json_text.h"
#include "core/io/report/report_page_files.h"

namespace espalier {
namespace {

using Json = nlohmann::ordered_json;

template <class Item, class Write>
Json list(const std::vector<Item>& items, Write write) {
  Json json = Json::array();
  for (const Item& item : items) json.push_back(write(item));
  return json;
}

Json spread_json(const ReportPage::Spread& spread) {
  return {{"channels", spread.channels},
          {"count", spread.count},
          {"loads", list(spread.loads, [](const ReportPage::Spread::Load& load) {
             return Json{{"min", load.min},
                         {"max", load.max},
                         {"mean", load.mean},
                         {"idle", load.idle},
                         {"colours", load.of_colour}};
           })}};
}

Json page_json(const ReportPage& page) {
  return {
      {"title", page.title},
      {"subtitle", page.subtitle},
      {"sound", page.sound},
      {"verdict", page.verdict},
      {"facts", list(page.facts,
                     [](const auto& f) {
                       return Json{{"label", f.label}, {"value", f.value}, {"note", f.note}};
                     })},
      {"remarks", list(page.remarks,
                       [](const auto& r) {
                         return Json{{"kind", r.kind}, {"text", r.text}};
                       })},
      {"patterns", list(page.patterns,
                        [](const auto& p) {
                          return Json{{"name", p.name}, {"note", p.note}, {"edges", p.edges}};
                        })},
      {"marks",
       list(page.marks,
            [](const auto& m) {
              return Json{
                  {"guid", m.guid}, {"name", m.name}, {"hosts", m.hosts}, {"loads", m.loads}, {"remarks", m.remarks}};
            })},
      {"boxes", list(page.boxes,
                     [](const auto& b) {
                       return Json{{"level", b.level}, {"label", b.label}, {"marks", b.marks}};
                     })},
      {"lines",
       list(page.lines,
            [](const auto& l) {
              return Json{{"lower", l.lower}, {"upper", l.upper}, {"cables", l.cables}, {"up", l.up}, {"down", l.down}};
            })},
      {"spreads", list(page.spreads, spread_json)},
      {"hot", list(page.hot_links, [](const auto& h) {
         return Json{{"pattern", h.pattern}, {"flows", h.flows}, {"from", h.from},
                     {"to", h.to},           {"users", h.users}, {"line", h.line}};
       })}};
}

// Inside <script>, "</script" and "<!--" end or change the element; in JSON a "<" is always in a string.
std::string without_tags(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

void replace_once(std::string& text, std::string_view slot, std::string_view content) {
  text.replace(text.find(slot), slot.size(), content);
}

}  // namespace

std::string write_report_page(const ReportPage& page) {
  std::string html(kReportHtml);
  const std::string data = json_text(page_json(page));
  // From the last slot to the first: what is filled in is not searched.
  replace_once(html, "@SCRIPT@", kReportScript);
  replace_once(html, "@DATA@", without_tags(data));
  replace_once(html, "@STYLE@", kReportStyle);
  return html;
}

}  // namespace espalier
