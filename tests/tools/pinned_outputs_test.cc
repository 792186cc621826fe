// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Characterization tests (M. Feathers, "Working Effectively with Legacy Code", 2004, ch. 13), also known as golden master:
// what many command lines print and write, each pinned by a checksum. They prove nothing right; they notice what no other
// test looks at. After a change on purpose scripts/pin_outputs.py pins anew; for it, a run with ESPALIER_PINS=FOLDER writes
// the new lines of each block to a file there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <ostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/hash.h"
#include "tests/tools/run_espalier.h"

namespace espalier::test {
namespace {

// Command lines that share a folder, in the order of the file; a later one may read what an earlier one wrote.
struct Block {
  std::string name;
  std::vector<std::string> lines;  // "CHECKSUM ARGUMENTS"
};

void PrintTo(const Block& block, std::ostream* out) { *out << block.name; }

std::vector<Block> pinned() {
  std::ifstream file(ESPALIER_PINNED_OUTPUTS);
  std::vector<Block> blocks;
  for (std::string line; std::getline(file, line);)
    if (line.rfind("## ", 0) == 0)
      blocks.push_back({line.substr(3), {}});
    else if (!line.empty() && line[0] != '#')
      blocks.back().lines.push_back(line);
  return blocks;
}

// Durations, rates and sizes of memory differ from run to run.
std::string without_measurements(const std::string& text) {
  static const std::regex duration(
      R"(\bms +[0-9.]+|[0-9][0-9.,]*(e-?[0-9]+)? ?(ns|us|ms|s|MiB|MB|kB|seconds?|minutes?|per second)\b)");
  static const std::regex field(
      R"(("[a-z_]*(seconds|_ms|_us|_mib|_kib|per_second)[a-z_]*"|"cpu_s"|"ms"): ?[0-9.e+-]+)");
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line); out += line + '\n')
    if (line.size() < 4000 && line.rfind("0x", 0) != 0)
      line = std::regex_replace(std::regex_replace(line, field, "$1: _"), duration, "_ $2");
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string checksum(const Outcome& outcome, const std::map<std::string, std::string>& written,
                     const std::string& folder) {
  std::string all = std::to_string(outcome.code) + '\n' + outcome.out + outcome.err;
  for (const auto& [name, content] : written) all += name + '\n' + content;
  all = replaced(replaced(all, folder, "FOLDER/"), ESPALIER_TEST_FABRICS, "FABRICS");
  return fmt::format("{:016x}", fnv1a(without_measurements(all)));
}

class Pinned : public EspalierCommand, public ::testing::WithParamInterface<Block> {
 protected:
  static void SetUpTestSuite() {
    ::setenv("FABRICS", ESPALIER_TEST_FABRICS, 1);
    ::setenv("SOURCE_DATE_EPOCH", "1795521600", 1);  // 24 November 2026, which reports say
  }
};

TEST_P(Pinned, output_is_what_it_was) {
  std::map<std::string, std::string> before;
  std::string now = "## " + GetParam().name + '\n';
  for (const std::string& line : GetParam().lines) {
    const std::size_t blank = line.find(' ');
    const Outcome outcome = run(line.substr(blank + 1));
    std::map<std::string, std::string> after = files();
    std::map<std::string, std::string> written;
    for (const auto& [name, content] : after)
      if (!before.contains(name) || before.at(name) != content) written.emplace(name, content);
    before = std::move(after);
    EXPECT_LT(outcome.code, 128) << "espalier " << line.substr(blank + 1) << " died";
    const std::string found = checksum(outcome, written, path(""));
    EXPECT_EQ(found, line.substr(0, blank))
        << "espalier " << line.substr(blank + 1) << "\nends with " << outcome.code << "\n"
        << outcome.err.substr(0, 2000);
    now += found + line.substr(blank) + '\n';
  }
  if (const char* const folder = std::getenv("ESPALIER_PINS"))
    std::ofstream(std::string(folder) + "/" + GetParam().name) << now << '\n';
}

INSTANTIATE_TEST_SUITE_P(Outputs, Pinned, ::testing::ValuesIn(pinned()),
                         [](const auto& block) { return block.param.name; });

}  // namespace
}  // namespace espalier::test
