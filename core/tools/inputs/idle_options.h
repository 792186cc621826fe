// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Options that would do nothing beside the others of the command line: who gives one expects something of it.
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/tools/cli_fwd.h"

namespace espalier::tools {

// Throws Refused, "--gap is for --solver fptas", when one of these `options` ("--gap", "LFTS") is given and nothing uses
// them. `by`: what would.
void refuse_idle(const CLI::App& command, std::initializer_list<const char*> options, bool are_used,
                 std::string_view by);

}  // namespace espalier::tools
