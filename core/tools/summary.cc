// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/summary.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "core/fabric/endport_role.h"
#include "core/io/export/json_text.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

// A device takes whatever many write.
bool are_one_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") return a == b;
  std::error_code none;
  if (std::filesystem::exists(a, none) && !std::filesystem::is_regular_file(a, none)) return false;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(a, none), none) ==
         std::filesystem::weakly_canonical(std::filesystem::absolute(b, none), none);
}

}  // namespace

void add_summary_option(CLI::App& command, bool& json, std::string_view keys) {
  command.add_flag("--json", json, fmt::format("Print one JSON object with {}; requires -o FILE", keys));
}

void refuse_mixed_output(bool json, const std::string& output) {
  if (json && (output.empty() || output == "-"))
    throw Refused{{"--json and the result cannot both go to standard output", {}, 0, "give -o FILE"}};
}

void refuse_one_output_for_two(std::initializer_list<Output> outputs) {
  for (const Output& a : outputs)
    for (const Output* b = outputs.begin(); b != &a; ++b)
      if (!a.path.empty() && !b->path.empty() && are_one_file(a.path, b->path))
        throw Refused{{fmt::format("{} and {} would both write {}", b->option, a.option,
                                   a.path == "-" ? "to standard output" : a.path),
                       {},
                       0,
                       "name a file for each"}};
}

void print_json(const nlohmann::ordered_json& json) { fmt::print("{}\n", json_text(json, 2)); }

nlohmann::ordered_json size_of(const Fabric& fabric) {
  std::size_t hosts = 0;
  for (const EndportId e : fabric.endports()) hosts += is_host(fabric.at(e)) ? 1 : 0;
  return {{"hosts", hosts},
          {"end_ports", fabric.num_endports()},
          {"switches", fabric.num_switches()},
          {"links", fabric.num_switch_links()}};
}

}  // namespace espalier::tools
