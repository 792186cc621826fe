// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_rank_order accepts are different hosts with names and lines, and so many that memory holds them. What
// it refuses has file and line.
#include <cstdint>
#include <set>

#include "core/io/lists/rank_order.h"
#include "tests/fuzz/expect.h"

namespace {

void read_hosts(std::string_view text) {
  const auto hosts = espalier::read_rank_order(text, "fuzz.ranks");
  if (!hosts) return espalier::expect(hosts.error().file == "fuzz.ranks" && hosts.error().line >= 0, "no file or line");
  espalier::expect(!hosts->empty(), "no host");
  std::set<std::string> names;
  for (const espalier::HostWord& host : *hosts) {
    espalier::expect(!host.name.empty() && host.line > 0, "a host without name or line");
    espalier::expect(names.insert(host.name).second, "a host twice");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_hosts({reinterpret_cast<const char*>(data), size});
  return 0;
}
