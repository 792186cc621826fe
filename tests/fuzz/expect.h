// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace espalier {

// Ends a fuzzer that has found something.
inline void expect(bool condition, const std::string& what) {
  if (condition) return;
  (void)std::fprintf(stderr, "property broken: %s\n", what.c_str());
  std::abort();
}

}  // namespace espalier
