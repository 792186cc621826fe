// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// For shell commands that wait for what another program has written, in place of a time that is always too long or too short.
#pragma once

#include <string>

namespace espalier::test {

// Defines `wait_until COMMAND`: until it succeeds, or a minute has passed.
inline const std::string kWaitUntil =
    "wait_until() { tries=0; until \"$@\" || [ $tries -ge 1200 ]; do tries=$((tries + 1)); sleep 0.05; done; }; ";

}  // namespace espalier::test
