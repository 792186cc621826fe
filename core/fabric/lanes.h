// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Virtual lanes as part of a routing: by which service level (SL) a source sends to a LID, and on which virtual lane
// (VL) a switch puts a packet of that SL.
//
// What InfiniBand offers: the sender writes an SL of 0 .. 15 into the packet, where it stays; each switch looks up
// SL2VL(in-port, out-port, SL) for the lane of the next link. The switch knows neither the lane on which a packet came
// nor how far it has come. So lanes that count hops exist only as far as ports and SL tell the hop.
//
// Both are closed forms in disguise: tables over classes. Whole maps of a dragonfly with 16 512 hosts would be 545 MB
// of SLs; by class of source (its group), class of destination (its group, and the intermediate group) and class of port
// (hosts, group, other groups) they are some kilobytes. In the other extreme every LID, every switch and every port is
// a class of its own: what a running subnet has can always be held.
//
//   SL(source LID, destination LID) = sl[source class][destination class]
//   VL(switch, in, out, SL)         = map of the switch [class of in][class of out][SL]
//
// A routing without lanes is one lane: everything on VL 0.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

inline constexpr std::size_t kNumSls = 16;
inline constexpr std::uint8_t kDiscardVl = 15;  // in an SL2VL table: the packet is thrown away

// The lanes of one (in, out) by SL.
using VlsBySl = std::array<std::uint8_t, kNumSls>;

// Which SL a source has to use.
class ServiceLevels {
 public:
  // All SLs are 0, and there is one class.
  ServiceLevels() = default;
  // Classes 0 .. num_sources-1 and 0 .. num_destinations-1 of LIDs, all 0 at first.
  ServiceLevels(Lid top_lid, std::size_t num_sources, std::size_t num_destinations);

  // LIDs that nobody has may be asked for, and have class 0.
  [[nodiscard]] std::uint8_t at(Lid source, Lid destination) const {
    return of_classes(source_class(source), destination_class(destination));
  }
  [[nodiscard]] std::uint32_t source_class(Lid lid) const {
    return index(lid) < source_class_.size() ? source_class_[lid] : 0;
  }
  [[nodiscard]] std::uint32_t destination_class(Lid lid) const {
    return index(lid) < destination_class_.size() ? destination_class_[lid] : 0;
  }
  [[nodiscard]] std::uint8_t of_classes(std::uint32_t source, std::uint32_t destination) const {
    return sl_[source * num_destinations_ + destination];
  }
  // Of a source class, by destination class.
  [[nodiscard]] const std::uint8_t* row(std::uint32_t source) const { return sl_.data() + source * num_destinations_; }
  [[nodiscard]] std::size_t num_sources() const { return num_sources_; }
  [[nodiscard]] std::size_t num_destinations() const { return num_destinations_; }
  // Bit q: SL q is used.
  [[nodiscard]] std::uint32_t used() const;

  // REQUIRES of all: classes and LIDs in range, sl < kNumSls.
  void set_source_class(Lid lid, std::uint32_t c) { source_class_[lid] = c; }
  void set_destination_class(Lid lid, std::uint32_t c) { destination_class_[lid] = c; }
  void set(std::uint32_t source, std::uint32_t destination, std::uint8_t sl) {
    sl_[source * num_destinations_ + destination] = sl;
  }

 private:
  std::size_t num_sources_ = 1;
  std::size_t num_destinations_ = 1;
  IdVector<Lid, std::uint32_t> source_class_;
  IdVector<Lid, std::uint32_t> destination_class_;
  std::vector<std::uint8_t> sl_{0};  // [source class][destination class]
};

// Which lane a switch puts a packet on: what its SL2VL tables hold.
class LaneMaps {
 public:
  // Without a map: one has to be added.
  explicit LaneMaps(const Fabric& fabric);
  // The same for all ports of all switches: VL = f(SL), the lanes of layered routings.
  LaneMaps(const Fabric& fabric, const VlsBySl& vls);

  // Adds a map for `classes` classes of ports, all VL 0, and returns its number.
  std::size_t add_map(std::size_t classes);
  [[nodiscard]] VlsBySl& entry(std::size_t map, std::size_t in_class, std::size_t out_class) {
    return vls_[maps_[map].first + in_class * maps_[map].classes + out_class];
  }
  [[nodiscard]] const VlsBySl& entry(std::size_t map, std::size_t in_class, std::size_t out_class) const {
    return vls_[maps_[map].first + in_class * maps_[map].classes + out_class];
  }
  [[nodiscard]] std::size_t num_maps() const { return maps_.size(); }
  [[nodiscard]] std::size_t num_classes(std::size_t map) const { return maps_[map].classes; }
  [[nodiscard]] std::size_t map_of(SwitchId s) const { return map_of_[s]; }
  // Of a switch that has not been given a map it is 0, and all its ports have class 0.
  void use_map(SwitchId s, std::size_t map) { map_of_[s] = static_cast<std::uint32_t>(map); }
  // REQUIRES: c < classes of the map that the switch uses. Port 0: what the switch itself sends.
  void set_port_class(SwitchId s, PortNum port, std::uint8_t c) { port_class_[first_port_[s] + index(port)] = c; }

  [[nodiscard]] std::uint8_t port_class(SwitchId s, PortNum port) const {
    return port_class_[first_port_[s] + index(port)];
  }
  // By SL. REQUIRES: the switch has these ports.
  [[nodiscard]] const VlsBySl& vls(SwitchId s, PortNum in, PortNum out) const {
    const Map& map = maps_[map_of_[s]];
    return vls_[map.first + std::size_t{port_class(s, in)} * map.classes + port_class(s, out)];
  }
  // The lanes that maps give to SLs of `sls` (bit q: SL q), bit v: VL v; kDiscardVl is none.
  [[nodiscard]] std::uint32_t used(std::uint32_t sls) const;

 private:
  struct Map {
    std::uint32_t first = 0;    // in vls_
    std::uint32_t classes = 1;  // of ports
  };
  IdVector<SwitchId, std::uint32_t> map_of_;
  IdVector<SwitchId, std::uint32_t> first_port_;  // in port_class_
  std::vector<std::uint8_t> port_class_;          // per switch and port
  std::vector<Map> maps_;
  std::vector<VlsBySl> vls_;  // [map][in class][out class]
};

class Lanes {
 public:
  Lanes(ServiceLevels levels, LaneMaps maps);

  [[nodiscard]] std::uint8_t sl(Lid source, Lid destination) const { return levels_.at(source, destination); }
  // Of a packet that came in by `in` (0: sent by the switch itself); kDiscardVl: it is thrown away.
  [[nodiscard]] std::uint8_t vl(SwitchId s, PortNum in, PortNum out, std::uint8_t sl) const {
    return maps_.vls(s, in, out)[sl];
  }
  [[nodiscard]] const ServiceLevels& levels() const { return levels_; }
  [[nodiscard]] const LaneMaps& maps() const { return maps_; }
  // The data lanes that links need: the highest that an SL in use gets, and one; 1 .. 15.
  [[nodiscard]] unsigned num_vls() const { return num_vls_; }
  // How many SLs are in use.
  [[nodiscard]] unsigned num_sls() const;

 private:
  ServiceLevels levels_;
  LaneMaps maps_;
  unsigned num_vls_ = 1;
};

// What a routing without lanes has: SL 0 and VL 0.
[[nodiscard]] Lanes one_lane(const Fabric& fabric);

// Layers, as DFSSSP and LASH have them: VL = SL, and the SL depends on the source's switch and the destination LID.
// All sources at one switch have the class of its id, all LIDs are their own class.
[[nodiscard]] ServiceLevels levels_by_switch(const Fabric& fabric);

}  // namespace espalier
