// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Phases from hosts of small types to those of others (core/analysis/congestion/traffic.h): how many senders each channel has
// in each of them. From storage, in phase k the (g + k)-th storage node sends to the g-th group of compute nodes, groups being
// as many as storage nodes. So a storage node and a group are in one phase only, and there are as many phases as storage nodes.
//
// A channel by which one sender has several flows counts it once: together they are no faster than the sender. Whether a flow
// is the only one of its sender there is looked up in the columns of the group.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/host_columns.h"
#include "core/engines/balanced/loads/phases.h"
#include "core/tree/order/node_order.h"
#include "core/tree/order/node_types.h"

namespace espalier {

class TypePhaseLoads {
 public:
  // Steps to count them all, in hops, and bytes that it takes.
  struct Size {
    std::uint64_t hops = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] static Size size(const TreeChannels& channels, const NodeOrder& order, const NodeTypes& types,
                                 Hops longest_path);

  // Those of the columns. REQUIRES: types are known; channels and phases, which tell who is on which switch, outlive this.
  TypePhaseLoads(const TreeChannels& channels, const Phases& phases, const NodeOrder& order, const NodeTypes& types,
                 const HostColumns& columns);

  // Whether the flows from this source to the host fit on the path: no channel of it would get more than two senders in a
  // phase, or than the fullest one had there at first. `columns`: as they are now; that of the host itself is not looked at,
  // here or below.
  [[nodiscard]] bool has_room(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                              std::span<const TreeChannelId> path) const;
  // The flows from this source to the host take the path, or leave it.
  void add(const HostColumns& columns, std::uint32_t source, std::uint32_t host, std::span<const TreeChannelId> path);
  void remove(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
              std::span<const TreeChannelId> path);

  // Of all channels in the first phase, then of all in the next.
  [[nodiscard]] std::span<const std::uint16_t> all() const { return loads_; }

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  // A small type and another one.
  struct Pair {
    std::vector<std::uint32_t> senders;                 // hosts
    std::vector<std::uint32_t> receivers;               // the same
    std::vector<std::uint32_t> group;                   // per host: of the receivers; kNowhere: it is none
    std::vector<std::vector<std::uint32_t>> on_source;  // per source: indices of senders
    std::size_t first_phase = 0;

    [[nodiscard]] std::size_t phase(std::uint32_t sender, std::uint32_t to_group) const {
      return first_phase + (sender + senders.size() - to_group) % senders.size();
    }
    [[nodiscard]] std::span<const std::uint32_t> members(std::size_t of_group) const {
      const auto begin = [&](std::size_t g) { return (g * receivers.size() + senders.size() - 1) / senders.size(); };
      return std::span(receivers).subspan(begin(of_group), begin(of_group + 1) - begin(of_group));
    }
  };
  void count(const Pair& pair, std::uint32_t phase, const HostColumns& columns);
  [[nodiscard]] const std::uint16_t& load(std::size_t phase, TreeChannelId c) const {
    return loads_[phase * channels_.size() + index(c)];
  }
  // visit(phase, channel) for each of the path where a sender on the source has no other flow of its group; false ends it.
  template <class Visit>
  bool visit_alone(const HostColumns& columns, std::uint32_t source, std::uint32_t host,
                   std::span<const TreeChannelId> path, Visit visit) const;
  // visit(channel) from the source to the host, until it returns true: whether it did.
  template <class Visit>
  bool visit_path(const HostColumns& columns, std::uint32_t source, std::uint32_t host, Visit visit) const;

  const TreeChannels& channels_;
  const Phases& phases_;
  std::vector<Pair> pairs_;
  std::vector<std::uint16_t> loads_;  // [phase][channel]
  std::vector<std::uint16_t> limit_;  // per phase
};

}  // namespace espalier
