// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/report/report_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/text.h"
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
  return {
      {"channels", spread.channels},
      {"count", spread.count},
      {"loads", list(spread.loads, [](const ReportPage::Spread::Load& load) {
         return Json{
             {"min", load.min}, {"max", load.max}, {"mean", load.mean}, {"idle", load.idle}, {"colors", load.of_color}};
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
                          return Json{{"name", p.name}, {"note", p.note}, {"edges", p.edges}, {"ideal", p.ideal}};
                        })},
      {"marks",
       list(page.marks,
            [](const auto& m) {
              return Json{
                  {"guid", m.guid}, {"name", m.name}, {"hosts", m.hosts}, {"loads", m.loads}, {"remarks", m.remarks}};
            })},
      {"layout", page.layout == ReportPage::Layout::kGroups ? "groups" : "levels"},
      {"boxes", list(page.boxes,
                     [](const auto& b) {
                       return Json{{"level", b.level}, {"label", b.label}, {"marks", b.marks}};
                     })},
      {"lines",
       list(page.lines,
            [](const auto& l) {
              return Json{{"lower", l.lower}, {"upper", l.upper}, {"cables", l.links}, {"up", l.up}, {"down", l.down}};
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

// A whole page as the value of an attribute.
std::string attribute(std::string_view html) {
  std::string text;
  text.reserve(html.size());
  for (const char c : html) {
    if (c == '&')
      text += "&amp;";
    else if (c == '"')
      text += "&quot;";
    else
      text += c;
  }
  return text;
}

void replace_once(std::string& text, std::string_view slot, std::string_view content) {
  text.replace(text.find(slot), slot.size(), content);
}

}  // namespace

std::string write_report_pair(const ReportPage& left, const ReportPage& right) {
  std::string rows;
  for (std::size_t i = 0; i < left.facts.size(); ++i) {
    const ReportPage::Fact& a = left.facts[i];
    rows += fmt::format("<tr><th scope=\"row\" title=\"{}\">{}</th><td>{}</td><td>{}</td></tr>\n", markup_text(a.note),
                        markup_text(a.label), markup_text(a.value), markup_text(right.facts[i].value));
  }
  const auto frame = [](const ReportPage& page) {
    return fmt::format("<iframe title=\"{}\" srcdoc=\"{}\"></iframe>\n", markup_text(page.title),
                       attribute(write_report_page(page)));
  };
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>{0}</title>\n"
      "<style>\n{1}\nbody {{ max-width: none; }}\n.pair {{ display: flex; gap: 1rem; }}\niframe {{ flex: 1; min-width: "
      "0; "
      "height: 92vh; border: 1px solid var(--edge); border-radius: 8px; "
      "}}\n</style>\n</head>\n<body>\n<h1>{0}</h1>\n<section><div "
      "class=\"scroll\"><table id=\"pair\"><thead><tr><th></th><th scope=\"col\">{2}</th><th "
      "scope=\"col\">{3}</th></tr></thead>\n"
      "<tbody>{4}</tbody></table></div></section>\n<section class=\"pair\">{5}{6}</section>\n</body>\n</html>\n",
      markup_text(left.title), kReportStyle, markup_text(left.subtitle), markup_text(right.subtitle), rows, frame(left),
      frame(right));
}

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
