// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Collects switches, end ports and links in any order, then sorts, validates and freezes them into a Fabric.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/fabric/fabric.h"

namespace espalier {

class FabricBuilder {
 public:
  // Handles count from 0 in the order of the add_ calls; they are not the ids of the finished Fabric.
  enum class SwitchHandle : std::uint32_t {};
  enum class EndportHandle : std::uint32_t {};

  FabricBuilder() = default;
  // Starts from what `fabric` holds; handle i is then its id i. For changing a copy (faults, LIDs).
  explicit FabricBuilder(const Fabric& fabric);

  // Makes room for so many, which takes less time than growing.
  void reserve(std::size_t num_switches, std::size_t num_endports, std::size_t num_links);

  // REQUIRES: guid is set. `leaf` and `leaf_port` of an Endport are ignored: use connect().
  SwitchHandle add_switch(Switch s);
  EndportHandle add_endport(Endport e);

  // A link. Each port takes one; build() reports a port that has two. Reads no switch or end port, so links may be added
  // while another thread adds those.
  void connect(SwitchHandle a, PortNum a_port, SwitchHandle b, PortNum b_port, LinkRate rate = {});
  void connect(SwitchHandle a, PortNum a_port, EndportHandle e, LinkRate rate = {});

  [[nodiscard]] std::size_t num_switches() const { return switches_.size(); }
  [[nodiscard]] std::size_t num_endports() const { return endports_.size(); }
  [[nodiscard]] Switch& at(SwitchHandle s) { return switches_[s]; }
  [[nodiscard]] Endport& at(EndportHandle e) { return endports_[e]; }

  // Gives every switch and end port a base LID and `lmc` (switches: lmc 0), in id order, from LID 1, aligned to
  // 2^lmc. kKeepComplete: only if some node has no LID, or an end port another LMC.
  // Errors: more LIDs than the 49 151 unicast ones.
  enum class Numbering : std::uint8_t { kKeepComplete, kRenumber };
  [[nodiscard]] Status assign_lids(std::uint8_t lmc, Numbering numbering);

  // Errors: two nodes with one GUID, a port beyond num_ports or with two links, LIDs that overlap, that are not
  // aligned to 2^lmc or leave the unicast range. Each names both parties.
  // kArena: steps side by side, on threads of the caller's tbb::task_arena; not in a process that forks afterward.
  enum class Threads : std::uint8_t { kOne, kArena };
  [[nodiscard]] Result<Fabric> build(Threads threads = Threads::kOne) &&;

  // What is plugged into a port of a switch now: a switch or nothing.
  struct Replug {
    ChannelId channel;
    Peer peer;
    LinkRate rate;
  };
  // The same fabric with other links between switches. REQUIRES: no end port is or was at these ports, and both ends of
  // each link say the same.
  [[nodiscard]] static Fabric replugged(Fabric fabric, const std::vector<Replug>& replugs);

 private:
  struct Link {
    SwitchHandle a;
    PortNum a_port;
    Peer::Kind b_kind;
    std::uint32_t b;
    PortNum b_port;
    LinkRate rate;
  };

  // The steps of build(), in order.
  [[nodiscard]] static Status check_nodes(const Fabric& fabric);
  static void number_channels(Fabric& fabric);
  [[nodiscard]] static Status plug(Fabric& fabric, SwitchId s, PortNum port, const Peer& peer, LinkRate rate);
  [[nodiscard]] static Status plug_both_ends(Fabric& fabric, SwitchId a, std::uint32_t b, const Link& link);
  [[nodiscard]] static Status claim_lids(Fabric& fabric);

  IdVector<SwitchHandle, Switch> switches_;
  IdVector<EndportHandle, Endport> endports_;
  LargeVector<Link> links_;
};

}  // namespace espalier
