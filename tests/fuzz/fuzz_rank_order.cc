// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_rank_order accepts are different hosts with names and lines, and so many that memory holds them; a
// traffic matrix has names and weights. What they refuse has file and line.
#include <cmath>
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

void read_flows(std::string_view text) {
  const auto flows = espalier::read_traffic_matrix(text, "fuzz.matrix");
  if (!flows)
    return espalier::expect(flows.error().file == "fuzz.matrix" && flows.error().line >= 0, "no file or line");
  for (const espalier::MatrixLine& flow : *flows) {
    espalier::expect(!flow.source.empty() && !flow.destination.empty() && flow.line > 0, "a flow of nobody");
    espalier::expect(std::isfinite(flow.weight) && flow.weight >= 0, "a weight that is no number from 0 on");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_hosts(text);
  read_flows(text);
  return 0;
}
