// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/simulation/fair_rates.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace espalier {
namespace {

// Wires are full together when their shares differ by less: rates are sums of rounded terms.
constexpr double kSame = 1e-9;

// Routes of all transfers, and who crosses each wire: two lists of lists in flat arrays.
struct Crossings {
  std::vector<std::size_t> first_wire;  // per transfer, and the end
  std::vector<Wire> wires;
  std::vector<std::size_t> first_transfer;  // per wire, and the end
  std::vector<std::uint32_t> transfers;
};

Crossings crossings(const Fabric& fabric, const ForwardingTables& tables, std::span<const Transfer> all,
                    std::uint64_t& undelivered) {
  Crossings c{.first_wire = {0},
              .wires = {},
              .first_transfer = std::vector<std::size_t>(num_wires(fabric) + 1),
              .transfers = {}};
  for (const Transfer& transfer : all) {
    const std::vector<Wire> wires = wires_of(fabric, tables, transfer);
    undelivered += wires.empty() ? 1 : 0;
    c.wires.insert(c.wires.end(), wires.begin(), wires.end());
    c.first_wire.push_back(c.wires.size());
    for (const Wire w : wires) ++c.first_transfer[w + 1];
  }
  for (std::size_t w = 1; w < c.first_transfer.size(); ++w) c.first_transfer[w] += c.first_transfer[w - 1];
  c.transfers.resize(c.wires.size());
  std::vector<std::size_t> next(c.first_transfer.begin(), c.first_transfer.end() - 1);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t k = c.first_wire[i]; k < c.first_wire[i + 1]; ++k)
      c.transfers[next[c.wires[k]]++] = static_cast<std::uint32_t>(i);
  return c;
}

}  // namespace

FairRates fair_rates(const Fabric& fabric, const ForwardingTables& tables, std::span<const Transfer> transfers,
                     const SimulationOptions& options) {
  FairRates result{.bytes_per_second = std::vector<double>(transfers.size())};
  const Crossings c = crossings(fabric, tables, transfers, result.undelivered);
  std::vector<Wire> open;                              // crossed by transfers that still rise
  std::vector<std::size_t> rising(num_wires(fabric));  // how many
  std::vector<double> left(num_wires(fabric));         // capacity that those who stay leave to them
  for (Wire w = 0; w < rising.size(); ++w)
    if ((rising[w] = c.first_transfer[w + 1] - c.first_transfer[w]) > 0) {
      open.push_back(w);
      left[w] = wire_rate(fabric, w, options);
    }
  const auto share = [&](Wire w) { return left[w] / static_cast<double>(rising[w]); };
  std::vector<std::uint8_t> stays(transfers.size());
  while (!open.empty()) {
    double least = std::numeric_limits<double>::max();
    for (const Wire w : open) least = std::min(least, share(w));
    std::vector<Wire> full;
    for (const Wire w : open)
      if (share(w) <= least * (1 + kSame)) full.push_back(w);
    for (const Wire w : full)
      for (std::size_t k = c.first_transfer[w]; k < c.first_transfer[w + 1]; ++k) {
        const std::uint32_t i = c.transfers[k];
        if (std::exchange(stays[i], std::uint8_t{1}) != 0) continue;
        result.bytes_per_second[i] = least;
        for (std::size_t s = c.first_wire[i]; s < c.first_wire[i + 1]; ++s) {
          left[c.wires[s]] -= least;
          --rising[c.wires[s]];
        }
      }
    std::erase_if(open, [&](Wire w) { return rising[w] == 0; });
  }
  return result;
}

}  // namespace espalier
