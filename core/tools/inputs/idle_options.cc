// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/idle_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "core/tools/command.h"

namespace espalier::tools {

void refuse_idle(const CLI::App& command, std::initializer_list<const char*> options, bool are_used,
                 std::string_view by) {
  if (are_used) return;
  for (const char* option : options)
    if (command.count(option) != 0) throw Refused{{fmt::format("{} is for {}", option, by), {}, 0, "omit it"}};
}

}  // namespace espalier::tools
