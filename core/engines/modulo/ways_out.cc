// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/ways_out.h"

#include <algorithm>
#include <array>

namespace espalier {
namespace {

constexpr std::size_t kBlock = UpDownCosts::kBlock;

}  // namespace

void WaysOut::find(SwitchId s) {
  s_ = s;
  const auto ups = tree_.up_groups(s);
  alike_ = !ups.empty() &&
           std::all_of(ups.begin(), ups.end(), [&](const PortGroup& up) { return up.num_ports == ups[0].num_ports; });
  closer_.resize(std::max({closer_.size(), up_bytes() * kinds_.size(), down_bytes() * kinds_.size()}));
  for (std::size_t block = 0; block < kinds_.size() / kBlock; ++block) {
    find_up(block);
    if (costs_.goes_down_to(s, block)) find_down(block);
    const auto first = kinds_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
    if (std::find(first, first + kBlock, Kind::kSomeGroups) == first + kBlock) continue;
    mark_closer(block);
    for (std::size_t t = block * kBlock; t < (block + 1) * kBlock; ++t)
      if (kinds_[t] == Kind::kSomeGroups) find_single(id_at<SwitchId>(t));
  }
  kinds_[index(s)] = Kind::kItself;
  ports_[index(s)] = kManagementPort;
}

void WaysOut::swap(WaysOut& other) noexcept {
  std::swap(s_, other.s_);
  std::swap(alike_, other.alike_);
  kinds_.swap(other.kinds_);
  ports_.swap(other.ports_);
  closer_.swap(other.closer_);
}

// As if nothing were below s.
void WaysOut::find_up(std::size_t block) {
  const std::size_t first = block * kBlock;
  const Hops* __restrict const cost = costs_.cost_row(s_).data() + first;
  Kind* __restrict const kinds = kinds_.data() + first;
  std::array<std::uint8_t, kBlock> all{};
  if (alike_) {
    all.fill(1);
    for (const PortGroup& up : tree_.up_groups(s_)) {
      const Hops* __restrict const far = costs_.cost_row(up.remote).data() + first;
      for (std::size_t i = 0; i < kBlock; ++i) all[i] = static_cast<std::uint8_t>(all[i] & (far[i] < cost[i]));
    }
  }
  for (std::size_t i = 0; i < kBlock; ++i)
    kinds[i] = cost[i] == kUnreachable ? Kind::kNone : all[i] != 0 ? Kind::kAllUp : Kind::kSomeGroups;
  std::fill_n(ports_.begin() + static_cast<std::ptrdiff_t>(first), kBlock, kManagementPort);
}

// Who is below s is reached downward.
void WaysOut::find_down(std::size_t block) {
  const std::size_t first = block * kBlock;
  const Hops* __restrict const down = costs_.down_row(s_).data() + first;
  Kind* __restrict const kinds = kinds_.data() + first;
  PortNum* __restrict const ports = ports_.data() + first;
  std::array<std::uint8_t, kBlock> hits{};
  std::array<std::uint8_t, kBlock> last{};
  for (const PortGroup& group : tree_.down_groups(s_)) {
    if (!costs_.goes_down_to(group.remote, block)) continue;
    const Hops* __restrict const far = costs_.down_row(group.remote).data() + first;
    const auto port = static_cast<std::uint8_t>(tree_.ports(group)[0]);
    const std::uint8_t count = group.num_ports == 1 ? 1 : 2;
    for (std::size_t i = 0; i < kBlock; ++i) {
      const bool closer = far[i] < down[i];
      hits[i] = std::min<std::uint8_t>(2, static_cast<std::uint8_t>(hits[i] + (closer ? count : 0)));
      last[i] = closer ? port : last[i];
    }
  }
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (down[i] == kUnreachable) continue;
    kinds[i] = hits[i] == 1 ? Kind::kOnePort : Kind::kSomeGroups;
    ports[i] = hits[i] == 1 ? static_cast<PortNum>(last[i]) : kManagementPort;
  }
}

void WaysOut::mark_closer(std::size_t block) {
  const std::size_t first = block * kBlock;
  const Hops* __restrict const cost = costs_.cost_row(s_).data() + first;
  const Hops* __restrict const down = costs_.down_row(s_).data() + first;
  const auto bits_of = [&](std::size_t g) { return closer_.data() + g / 8 * kinds_.size() + first; };
  for (std::size_t byte = 0; byte < std::max(up_bytes(), down_bytes()); ++byte)
    std::fill_n(bits_of(byte * 8), kBlock, 0);
  const auto ups = tree_.up_groups(s_);
  for (std::size_t g = 0; g < ups.size(); ++g) {
    const Hops* __restrict const far = costs_.cost_row(ups[g].remote).data() + first;
    std::uint8_t* __restrict const bits = bits_of(g);
    const auto bit = static_cast<std::uint8_t>(1U << g % 8);
    for (std::size_t i = 0; i < kBlock; ++i)
      bits[i] = static_cast<std::uint8_t>(bits[i] | (far[i] < cost[i] && down[i] == kUnreachable ? bit : 0));
  }
  const auto downs = tree_.down_groups(s_);
  for (std::size_t g = 0; g < downs.size(); ++g) {
    if (!costs_.goes_down_to(downs[g].remote, block)) continue;
    const Hops* __restrict const far = costs_.down_row(downs[g].remote).data() + first;
    std::uint8_t* __restrict const bits = bits_of(g);
    const auto bit = static_cast<std::uint8_t>(1U << g % 8);
    for (std::size_t i = 0; i < kBlock; ++i)
      bits[i] = static_cast<std::uint8_t>(bits[i] | (far[i] < down[i] ? bit : 0));
  }
}

// Where one link alone leads closer, it is that.
void WaysOut::find_single(SwitchId t) {
  std::size_t count = 0;
  PortNum port = kManagementPort;
  for_each_group(t, [&](const PortGroup& group) {
    count += group.num_ports;
    port = tree_.ports(group)[0];
  });
  if (count != 1) return;
  kinds_[index(t)] = Kind::kOnePort;
  ports_[index(t)] = port;
}

}  // namespace espalier
