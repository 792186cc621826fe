// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/alternatives.h"

#include <array>
#include <cstdint>

#include "core/engines/ftree/ftree.h"
#include "core/engines/ftree/ftree2.h"
#include "core/engines/modulo/closed_form.h"
#include "core/engines/modulo/pqft.h"

namespace espalier {
namespace {

constexpr std::array kAlternatives{pqft, ftree2, ftree, closed_form, padded_closed_form};
static_assert(kAlternatives.size() == kNumAlternatives);

}  // namespace

HostColumns alternative(std::size_t i, const RoutingProblem& problem, const TreeChannels& channels,
                        const HostColumns& own) {
  HostColumns columns(problem, channels, kAlternatives.at(i)(problem));
  for (std::uint32_t host = 0; host < problem.order.hosts.size(); ++host) {
    const SwitchId t = problem.fabric.at(problem.order.hosts[host]).leaf;
    const auto ours = own.column(host);
    const auto theirs = columns.column(host);
    for (const SwitchId s : problem.fabric.switches()) {
      const std::uint8_t number = theirs[index(s)];
      const bool goes_down = number != kNoHop && number >= channels.num_up(s);
      if (number == kNoHop || goes_down != (problem.costs.down_cost(s, t) != kUnreachable) ||
          !problem.costs.leads_closer(s, channels.remote(channels.at(s, number)), t))
        theirs[index(s)] = ours[index(s)];
    }
  }
  return columns;
}

}  // namespace espalier
