// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier report`. tests/browser loads its pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/io/report/report_page.h"
#include "tests/support/fabrics.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Report : public EspalierCommand {};

TEST_F(Report, is_one_page_with_the_verdict_and_every_switch) {
  for (const NamedFabric& named : all_drawn_fabrics()) {
    write("net", named.fabric);
    run_well("route net --engine dmodc -o lfts");
    run_well("report net lfts -o report.html");
    const std::string page = read("report.html");
    EXPECT_THAT(page, AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("\"Sound: all "))) << named.name;
    for (const SwitchId s : named.fabric.switches())
      EXPECT_THAT(page, HasSubstr("\"name\":\"" + named.fabric.at(s).description + "\"")) << named.name;
  }
}

TEST_F(Report, tells_of_unsound_tables_with_exit_code_0) {
  write("net", two_level_tree());
  run_well("route net --engine dmodc | grep -v '^0x0009' >holes");
  EXPECT_THAT(run_well("report net holes"), AllOf(HasSubstr("Not sound: 5 violations"), HasSubstr("missing entry: ")));
}

TEST_F(Report, is_the_same_for_any_number_of_threads) {
  write("net", three_level_tree());
  run_well("route net --engine dmodc -o lfts");
  EXPECT_EQ(run_well("report net lfts --threads 1"), run_well("report net lfts --threads 4"));
}

TEST_F(Report, has_the_date_of_source_date_epoch) {
  write("net", two_level_tree());
  const auto page = [&](const char* epoch) {
    ::setenv("SOURCE_DATE_EPOCH", epoch, 1);
    std::string html = run_well("report net --engine dmodc");
    ::unsetenv("SOURCE_DATE_EPOCH");
    return html;
  };
  EXPECT_THAT(page("86399"), HasSubstr(", 1970-01-01"));
  EXPECT_THAT(page("today"), Not(HasSubstr("1970")));
}

TEST_F(Report, has_one_scale_of_colors_whatever_the_tables) {
  write("net", three_level_tree());
  const auto edges = [&](const std::string& engine) {
    const std::string page = run_well("report net --engine " + engine);
    const std::size_t at = page.find("\"edges\":[");
    return page.substr(at, page.rfind(',', page.find(']', at)) - at);  // all but the last, which has no end
  };
  EXPECT_EQ(edges("balanced"), edges("randsp"));
  EXPECT_THAT(run_well("report net --engine balanced"),
              AllOf(HasSubstr("computed by balanced"), HasSubstr("espalier 0.")));
}

TEST_F(Report, shows_two_routings_side_by_side) {
  write("net", three_level_tree());
  run_well("route net --engine dmodc -o lfts");
  run_well("report net lfts balanced -o both.html");
  const std::string page = read("both.html");
  EXPECT_THAT(page,
              AllOf(HasSubstr("<table id=\"pair\">"), HasSubstr("Tables: lfts;"), HasSubstr("computed by balanced")));
  std::size_t frames = 0;
  for (std::size_t i = page.find("<iframe "); i != std::string::npos; i = page.find("<iframe ", i + 1)) ++frames;
  EXPECT_EQ(frames, 2U);
}

TEST(ReportPage, KeepsTextFromBecomingMarkup) {
  ReportPage page;
  page.title = "</script><b>@SCRIPT@ \xff";
  const std::string html = write_report_page(page);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<b>")), HasSubstr("\\u003c/script>\\u003cb>@SCRIPT@ \xef\xbf\xbd")));
}

}  // namespace
}  // namespace espalier::test
