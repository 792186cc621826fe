// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/ca_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/io/node_description.h"

namespace espalier {

std::string write_ca_order(const Fabric& fabric, std::span<const EndportId> hosts) {
  struct Run {
    SwitchId leaf = kNoSwitch;
    std::size_t size = 0;
  };
  std::vector<Run> runs;
  for (const EndportId e : hosts) {
    if (runs.empty() || runs.back().leaf != fabric.at(e).leaf) runs.push_back({fabric.at(e).leaf, 0});
    ++runs.back().size;
  }
  std::vector<bool> seen(fabric.num_switches(), false);
  std::size_t fullest = 0;
  for (const Run& run : runs) {
    if (run.leaf == kNoSwitch || seen[index(run.leaf)]) {
      fullest = 0;  // leaves come in pieces
      break;
    }
    seen[index(run.leaf)] = true;
    fullest = std::max(fullest, run.size);
  }
  std::string text;
  std::size_t next = 0;
  for (const Run& run : runs) {
    for (std::size_t i = 0; i < run.size; ++i) {
      const Endport& e = fabric.at(hosts[next++]);
      text += fmt::format("0x{:04x}\t{}\n", index(e.lid), io::opensm_description(e.description));
    }
    for (std::size_t i = run.size; i < fullest; ++i) text += "0xFFFF\tDUMMY\n";
  }
  return text;
}

}  // namespace espalier
