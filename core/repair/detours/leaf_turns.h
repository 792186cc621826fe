// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where packets come down to a leaf whose own entry leads to a port that they may not turn to, the leaf can change its
// entry to a port that they may.
//
// For the LID of a host that port leads closer as well, and the leaf's own hosts use it too: of all such ports at all such
// leaves the one is taken under which their flows cost least (class_loads.h). To take them in rotation puts up to 15 flows
// on one channel in place of 6.
//
// For the LID of a switch the port may lead over a third plane: when the switch b of the pod is gone in which the planes a
// and b turn, what comes from b goes to c where b and c turn, and from there to a. All of these are turns of the
// reference, so the leaf where b and c turn, and who sends to it, are all that changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/repair/detours/detour_column.h"
#include "core/repair/detours/switch_turns.h"
#include "core/repair/reference/class_loads.h"

namespace espalier {

class LeafTurns {
 public:
  // REQUIRES: all outlive this.
  LeafTurns(const WorkingState& state, const LostPairs& pairs, const ClassLoads& loads);

  // The leaf changes its entry, and one that is missing joins before it. False: there is no such turn.
  bool turn(DetourColumn& column);

  // As these turns have changed them.
  void apply_to(ClassLoads& loads) const;

 private:
  struct OnChannel {
    ChannelId channel;
    ClassLoads::Flow flow;
  };

  void find_closer(const DetourColumn& column, ChannelId in);
  void find_any(DetourColumn& column, ChannelId in);
  [[nodiscard]] bool is_allowed(const DetourColumn& column, ChannelId in, ChannelId out) const;
  [[nodiscard]] const Turn& cheapest(const DetourColumn& column);
  [[nodiscard]] std::uint64_t price(const DetourColumn& column, ClassLoads::Flow flow, ChannelId channel) const;
  // visit(ChannelId) from this one on.
  template <class Visit>
  void for_each_behind(const DetourColumn& column, ChannelId channel, Visit visit) const {
    for (;; channel = column.next(channel)) {
      visit(channel);
      if (prepared_.far(channel) == column.destination()) return;
    }
  }

  const WorkingState& state_;
  const PreparedReference& prepared_;
  const LostPairs& pairs_;
  const ClassLoads& loads_before_;
  std::optional<ClassLoads> own_loads_;  // these, since a leaf has changed its port for a host
  std::vector<OnChannel> removed_, added_;
  std::vector<Turn> turns_;
};

}  // namespace espalier
