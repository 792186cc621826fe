// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What is there: an immutable snapshot of one InfiniBand subnet, in flat arrays.
//
// Why not OpenSM's own objects? The same engines must serve the live subnet manager, a saved ibnetdiscover text and a
// generator; the snapshot must outlive a sweep; and routing reads it a hundred million times, so a switch is a number,
// not a pointer. Ids ascend with GUIDs: the same subnet gives the same ids whatever order it was discovered in.
//
// A link between two switches is two channels, one for each direction. Channels are numbered switch by switch and,
// within a switch, by port number (port 0 included, so that channel = first channel + port).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/fabric/ids.h"
#include "core/fabric/link_rate.h"

namespace espalier {

enum class EndportKind : std::uint8_t { kChannelAdapter, kRouter };
enum class Port0Kind : std::uint8_t { kBase, kEnhanced };

struct Switch {
  Guid guid = kNoGuid;
  std::string description;     // NodeDescription, for people
  Lid lid = kNoLid;            // base LID of port 0
  std::uint8_t lmc = 0;        // port 0 owns 2^lmc LIDs (more than one only with an enhanced port 0)
  std::uint8_t num_ports = 0;  // external ports are 1 .. num_ports
  Port0Kind port0 = Port0Kind::kBase;
  std::uint32_t lft_capacity = 0xC000;  // LinearFDBCap: LIDs below this have an entry
};

// One port of a channel adapter or router that has LIDs. A dual-port HCA is two of them.
struct Endport {
  Guid node_guid = kNoGuid;
  Guid port_guid = kNoGuid;
  std::string description;
  PortNum port{1};
  EndportKind kind = EndportKind::kChannelAdapter;
  Lid lid = kNoLid;             // base LID
  std::uint8_t lmc = 0;         // owns 2^lmc LIDs
  SwitchId leaf = kNoSwitch;    // the switch it is cabled to; kNoSwitch: to no switch (back to back, or no link)
  PortNum leaf_port = kNoPort;  // the port of that switch

  bool operator==(const Endport&) const = default;
};

[[nodiscard]] constexpr IdRange<Lid> lids_of(const Switch& s) { return lids_of(s.lid, s.lmc); }
[[nodiscard]] constexpr IdRange<Lid> lids_of(const Endport& e) { return lids_of(e.lid, e.lmc); }

// What the other end of a switch port is.
struct Peer {
  enum class Kind : std::uint8_t { kNone, kSwitch, kEndport };
  Kind kind = Kind::kNone;
  PortNum port = kNoPort;  // port number over there
  std::uint32_t id = 0;    // index of a SwitchId or EndportId

  [[nodiscard]] bool is_switch() const { return kind == Kind::kSwitch; }
  [[nodiscard]] bool is_endport() const { return kind == Kind::kEndport; }
  // REQUIRES: is_switch().
  [[nodiscard]] SwitchId as_switch() const { return SwitchId{id}; }
  // REQUIRES: is_endport().
  [[nodiscard]] EndportId as_endport() const { return EndportId{id}; }
  bool operator==(const Peer&) const = default;
};

// Who answers to a LID.
struct LidOwner {
  enum class Kind : std::uint8_t { kNone, kSwitch, kEndport };
  Kind kind = Kind::kNone;
  std::uint8_t offset = 0;  // LID - base LID, below 2^lmc
  std::uint32_t id = 0;     // index of a SwitchId or EndportId
};

class Fabric {
 public:
  // ---- switches and end ports ----
  [[nodiscard]] std::size_t num_switches() const { return switches_.size(); }
  [[nodiscard]] std::size_t num_endports() const { return endports_.size(); }
  [[nodiscard]] IdRange<SwitchId> switches() const { return switches_.ids(); }
  [[nodiscard]] IdRange<EndportId> endports() const { return endports_.ids(); }
  [[nodiscard]] const Switch& at(SwitchId s) const { return switches_[s]; }
  [[nodiscard]] const Endport& at(EndportId e) const { return endports_[e]; }
  // By node GUID (switch) or port GUID (end port); kNoSwitch, kNoEndport when unknown. O(log n), O(n).
  [[nodiscard]] SwitchId find_switch(Guid guid) const;
  [[nodiscard]] EndportId find_endport(Guid port_guid) const;

  // ---- links ----
  // 1 .. num_ports of s.
  [[nodiscard]] IdRange<PortNum> ports(SwitchId s) const { return {PortNum{1}, at(s).num_ports}; }
  // REQUIRES: port <= num_ports of s. Port 0 has no peer.
  [[nodiscard]] const Peer& peer(SwitchId s, PortNum port) const {
    return peers_[first_channel_[index(s)] + index(port)];
  }
  [[nodiscard]] LinkRate rate(SwitchId s, PortNum port) const { return rates_[first_channel_[index(s)] + index(port)]; }
  // Links between two switches.
  [[nodiscard]] std::size_t num_switch_links() const { return num_switch_links_; }

  // ---- channels ----
  [[nodiscard]] std::size_t num_channels() const { return peers_.size(); }
  [[nodiscard]] ChannelId channel(SwitchId s, PortNum port) const {
    return id_at<ChannelId>(first_channel_[index(s)] + index(port));
  }
  [[nodiscard]] const Peer& peer(ChannelId c) const { return peers_[index(c)]; }
  [[nodiscard]] SwitchId source(ChannelId c) const { return channel_source_[index(c)]; }
  [[nodiscard]] PortNum port(ChannelId c) const { return id_at<PortNum>(index(c) - first_channel_[index(source(c))]); }

  // ---- LIDs ----
  // The highest LID in use; kNoLid when there is none.
  [[nodiscard]] Lid top_lid() const { return top_lid_; }
  // REQUIRES: lid <= top_lid().
  [[nodiscard]] const LidOwner& owner(Lid lid) const { return owners_[index(lid)]; }
  // Whether somebody answers to it. Any LID.
  [[nodiscard]] bool is_in_use(Lid lid) const { return lid <= top_lid_ && owner(lid).kind != LidOwner::Kind::kNone; }
  // The end port that answers to it; kNoEndport: none does. Any LID.
  [[nodiscard]] EndportId endport_of(Lid lid) const {
    return lid <= top_lid_ && owner(lid).kind == LidOwner::Kind::kEndport ? EndportId{owner(lid).id} : kNoEndport;
  }
  // The switch at which traffic for this LID arrives: the owner itself or the switch an end port is cabled to;
  // kNoSwitch when the LID is unused or its end port hangs on no switch.
  [[nodiscard]] SwitchId destination_switch(Lid lid) const;

  // "0xGUID (description)", for messages.
  [[nodiscard]] std::string label(SwitchId s) const;
  [[nodiscard]] std::string label(EndportId e) const;

 private:
  friend class FabricBuilder;
  Fabric() = default;

  IdVector<SwitchId, Switch> switches_;       // ascending GUID
  IdVector<EndportId, Endport> endports_;     // ascending (node GUID, port)
  std::vector<std::uint32_t> first_channel_;  // per switch: index of its port 0 in the arrays below
  LargeVector<Peer> peers_;                   // per channel
  LargeVector<LinkRate> rates_;               // per channel
  LargeVector<SwitchId> channel_source_;      // per channel
  LargeVector<LidOwner> owners_;              // per LID, 0 .. top_lid_
  Lid top_lid_ = kNoLid;
  std::size_t num_switch_links_ = 0;
};

// Whether the same switches and the same end ports at the same places are in both: only their links, and whose LIDs the
// switches have, may differ.
[[nodiscard]] bool have_same_endports(const Fabric& a, const Fabric& b);

// The greatest LMC of these end ports, or of all; 0 where there are none.
[[nodiscard]] std::uint8_t most_lmc(const Fabric& fabric, std::span<const EndportId> endports);
[[nodiscard]] std::uint8_t most_lmc(const Fabric& fabric);

}  // namespace espalier
