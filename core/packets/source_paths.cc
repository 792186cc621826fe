// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/source_paths.h"

#include <algorithm>

namespace espalier::packets {

void SourcePaths::add(Node from, Node to, double weight, std::span<const Router> routers) {
  std::vector<Choice>& choices = choices_[key(from, to)];
  const auto path = static_cast<std::uint32_t>(first_.size());
  choices.push_back({(choices.empty() ? 0 : choices.back().up_to) + weight, path});
  first_.push_back(static_cast<std::uint32_t>(ports_.size()));
  Router at = network_.router_of(from);
  for (const Router next : routers) {
    std::vector<Port> parallel;
    for (Port p = network_.first_port[at]; p < network_.first_port[at + 1]; ++p)
      if (network_.ports[p].kind != PortClass::kNode && network_.ports[p].neighbor == next) parallel.push_back(p);
    ports_.push_back(parallel[path % parallel.size()]);
    at = next;
  }
  longest_ = std::max(longest_, static_cast<std::uint32_t>(routers.size()));
}

std::uint32_t SourcePaths::choose(Node from, Node to, Random& random) const {
  const auto found = choices_.find(key(from, to));
  if (found == choices_.end()) return kNone;
  const std::vector<Choice>& choices = found->second;
  if (choices.size() == 1) return choices[0].path;
  const double drawn = random.uniform() * choices.back().up_to;
  return std::lower_bound(choices.begin(), choices.end() - 1, drawn,
                          [](const Choice& choice, double value) { return choice.up_to < value; })
      ->path;
}

}  // namespace espalier::packets
