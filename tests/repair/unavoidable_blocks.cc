// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/repair/unavoidable_blocks.h"

#include <algorithm>
#include <vector>

#include "core/repair/survivors/survivor_costs.h"
#include "core/repair/survivors/survivors.h"

namespace espalier {
namespace {

// Where packets can get to that have taken a channel.
class WaysOn {
 public:
  WaysOn(const PreparedReference& reference, const Survivors& alive)
      : reference_(reference),
        alive_(alive),
        order_(reference.order()),
        known_(reference.fabric().num_channels()),
        possible_(reference.fabric().num_channels()),
        could_add_(reference.fabric().num_channels()) {
    for (const ChannelId c : alive.channel.ids())
      if (alive.channel[c] == 0) order_.remove(c);
  }

  // By any dependencies that could be added, each by itself.
  bool lead(ChannelId c, SwitchId t) {
    if (known_[c].empty()) known_[c] = follow(c, false);
    if (known_[c][index(t)] != 0) return true;
    if (possible_[c].empty()) possible_[c] = follow(c, true);
    return possible_[c][index(t)] != 0;
  }

 private:
  enum class Answer : std::uint8_t { kUnknown, kYes, kNo };

  std::vector<std::uint8_t> follow(ChannelId first, bool may_add) {
    const Fabric& fabric = reference_.fabric();
    std::vector<std::uint8_t> reached(fabric.num_switches());
    std::vector<std::uint8_t> seen(fabric.num_channels());
    std::vector<ChannelId> queue{first};
    seen[index(first)] = 1;
    for (std::size_t head = 0; head < queue.size(); ++head) {
      const ChannelId in = queue[head];
      const SwitchId s = reference_.far(in);
      reached[index(s)] = 1;
      for (const ChannelId out : reference_.channels(s)) {
        if (reference_.far(out) == kNoSwitch || alive_.channel[out] == 0 || seen[index(out)] != 0) continue;
        if (!order_.has(in, fabric.port(out)) && !(may_add && could_add(in, fabric.port(out)))) continue;
        seen[index(out)] = 1;
        queue.push_back(out);
      }
    }
    return reached;
  }

  bool could_add(ChannelId in, PortNum out) {
    std::vector<Answer>& answers = could_add_[in];
    answers.resize(reference_.channels(reference_.far(in)).size());
    Answer& answer = answers[index(out)];
    if (answer == Answer::kUnknown) {
      answer = order_.insert(in, out) ? Answer::kYes : Answer::kNo;
      if (answer == Answer::kYes) order_.retract(in, out);
    }
    return answer == Answer::kYes;
  }

  const PreparedReference& reference_;
  const Survivors& alive_;
  ChannelOrder order_;
  IdVector<ChannelId, std::vector<std::uint8_t>> known_, possible_;  // per switch; empty: nobody has asked
  IdVector<ChannelId, std::vector<Answer>> could_add_;               // per port of the far switch
};

class Entries {
 public:
  Entries(const PreparedReference& reference, const Survivors& alive)
      : reference_(reference),
        alive_(alive),
        costs_(reference.tree(), reference.costs(), alive),
        ways_on_(reference, alive) {}

  bool has_to_change(SwitchId s, std::size_t lid) {
    const SwitchId t = reference_.destination(lid);
    if (alive_.lid_now[lid] == kNoLid || t == s) return false;
    const Fabric& fabric = reference_.fabric();
    const ChannelId c = fabric.channel(s, reference_.reference().tables.at(s, id_at<Lid>(lid)));
    if (alive_.channel[c] == 0) return true;
    const Hops own = costs_.cost(s, t);
    if (own == kUnreachable) return reference_.costs().cost(s, t) != kUnreachable || !leads_on(s, c, lid);
    const bool down = costs_.down_cost(s, t) != kUnreachable;
    const SwitchId next = reference_.far(c);
    return (down ? costs_.down_cost(next, t) : costs_.cost(next, t)) >= own;
  }

 private:
  bool leads_on(SwitchId s, ChannelId c, std::size_t lid) {
    if (reference_.path(s, lid, path_) &&
        std::all_of(path_.begin(), path_.end(), [&](ChannelId hop) { return alive_.channel[hop] != 0; }))
      return true;
    return ways_on_.lead(c, reference_.destination(lid));
  }

  const PreparedReference& reference_;
  const Survivors& alive_;
  SurvivorCosts costs_;
  WaysOn ways_on_;
  std::vector<ChannelId> path_;  // scratch
};

}  // namespace

Blocks unavoidable_blocks(const PreparedReference& reference, const Fabric& now) {
  const Survivors alive = find_survivors(reference.fabric(), now);
  Entries entries(reference, alive);
  Blocks blocks;
  for (const SwitchId s : reference.fabric().switches()) {
    if (alive.now[s] == kNoSwitch) continue;
    for (std::size_t lid = 1; lid < reference.num_lids(); ++lid)
      if (entries.has_to_change(s, lid)) blocks.insert({index(s), lid / kLidsPerBlock});
  }
  return blocks;
}

}  // namespace espalier
