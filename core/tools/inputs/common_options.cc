// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/common_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/tools/usage.h"

namespace espalier::tools {

void add_threads_option(CLI::App& command, unsigned& threads, const std::string& note) {
  command
      .add_option("-j,--threads", threads,
                  fmt::format("Threads; 0: all processors{}{}", note.empty() ? "" : ". ", note))
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

void add_rank_options(CLI::App& command, std::string& roots, std::string& compute) {
  command.add_option("--roots", roots, "GUIDs of the top switches, as OpenSM's root_guid_file");
  command.add_option("--cn-guids", compute, "Port GUIDs of compute hosts, as OpenSM's cn_guid_file");
}

void add_switch_rules_option(CLI::App& command, std::string& switch_rules) {
  command.add_option("--switch-rules", switch_rules,
                     "File with roots, ranks and exclusions by name, as in switch-rules.example "
                     "(conf/ of the source, or /usr/share/doc/espalier-plugin)");
}

void add_vls_option(CLI::App& command, unsigned& max_vls) {
  command.add_option("--vls", max_vls, "Data lanes of the links, which engines with virtual lanes may use")
      ->check(number_of_lanes())
      ->capture_default_str();
}

}  // namespace espalier::tools
