// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// --json: one object on standard output; of subcommands whose result is a file, it says what was written.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/fabric/fabric.h"
#include "core/tools/cli_fwd.h"
#include "core/tools/summary.h"

namespace espalier::tools {

// `keys` completes the help: "One JSON object on standard output: KEYS; asks for -o".
void add_summary_option(CLI::App& command, bool& json, std::string_view keys);

// Throws Refused when a summary and the result would both go to standard output. An empty path and "-" are that.
void refuse_mixed_output(bool json, const std::string& output);

// What an option writes, and where: "-" is standard output, and an empty path writes nothing.
struct Output {
  std::string option;
  std::string path;
};
// Throws Refused when two of them would go to one file, of which the last would remain, or to standard output.
void refuse_one_output_for_two(std::initializer_list<Output> outputs);

void print_json(const nlohmann::ordered_json& json);

// The size of a fabric: hosts, end_ports (hosts and others), switches, links (between switches).
[[nodiscard]] nlohmann::ordered_json size_of(const Fabric& fabric);

}  // namespace espalier::tools
