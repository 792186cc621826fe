// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// By what weights a source should use the LIDs of a destination: what a host has to know that stripes its traffic over
// several paths, as SDN-model and SDN-optimal do (P. Faizian, dissertation, FSU 2018, 5.2), or that goes over other
// groups of a dragonfly lest traffic from group to group meets on one link.
//
// A choice is a LID offset and a weight. The service level that goes with it is not said here: it follows from the LIDs
// of both ends (lanes.h), and the path record for that LID has it.
//
// Closed forms, as of lanes: few different lists of choices, and one of them for each class of sources and class of
// destinations; a pair of hosts may have a list of its own, which goes before.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/fabric/ids.h"
#include "core/fabric/lanes.h"

namespace espalier {

class Fabric;

// Whether there is a choice: an end port with an LMC above 0.
[[nodiscard]] bool has_several_lids(const Fabric& fabric);

struct LidChoice {
  std::uint8_t offset = 0;
  double weight = 1;  // above 0, in any one unit

  auto operator<=>(const LidChoice&) const = default;
};
using LidChoiceList = std::vector<LidChoice>;  // each offset once

class LidChoices {
 public:
  // List 0 is offset 0 alone, and all pairs have it at first. Classes of sources and of destinations, of which all end
  // ports have class 0 at first.
  explicit LidChoices(std::size_t num_endports, std::size_t num_sources = 1, std::size_t num_destinations = 1);

  // The number of an equal list, or of a new one. REQUIRES: it is not empty.
  std::uint32_t add_list(const LidChoiceList& list);
  // REQUIRES of all: numbers of classes and lists are in range.
  void set_source_class(EndportId e, std::uint32_t c) { source_class_[e] = c; }
  void set_destination_class(EndportId e, std::uint32_t c) { destination_class_[e] = c; }
  void use(std::uint32_t source_class, std::uint32_t destination_class, std::uint32_t list) {
    of_classes_[source_class * num_destinations_ + destination_class] = list;
  }
  void use_between(EndportId source, EndportId destination, std::uint32_t list) {
    of_pair_[{source, destination}] = list;
  }

  [[nodiscard]] std::uint32_t list_of(EndportId source, EndportId destination) const {
    if (!of_pair_.empty())
      if (const auto it = of_pair_.find({source, destination}); it != of_pair_.end()) return it->second;
    return of_classes(source_class_[source], destination_class_[destination]);
  }
  [[nodiscard]] const LidChoiceList& at(EndportId source, EndportId destination) const {
    return lists_[list_of(source, destination)];
  }

  [[nodiscard]] const std::vector<LidChoiceList>& lists() const { return lists_; }
  [[nodiscard]] std::size_t num_sources() const { return num_sources_; }
  [[nodiscard]] std::size_t num_destinations() const { return num_destinations_; }
  [[nodiscard]] std::uint32_t source_class(EndportId e) const { return source_class_[e]; }
  [[nodiscard]] std::uint32_t destination_class(EndportId e) const { return destination_class_[e]; }
  [[nodiscard]] std::uint32_t of_classes(std::uint32_t source, std::uint32_t destination) const {
    return of_classes_[source * num_destinations_ + destination];
  }
  // Whether what a source chooses does not depend on the source.
  [[nodiscard]] bool same_from_all() const { return num_sources_ == 1 && of_pair_.empty(); }
  using Pairs = std::map<std::pair<EndportId, EndportId>, std::uint32_t>;
  [[nodiscard]] const Pairs& pairs() const { return of_pair_; }

 private:
  std::size_t num_sources_;
  std::size_t num_destinations_;
  IdVector<EndportId, std::uint32_t> source_class_;
  IdVector<EndportId, std::uint32_t> destination_class_;
  std::vector<std::uint32_t> of_classes_;  // [source class][destination class]
  Pairs of_pair_;
  std::vector<LidChoiceList> lists_{{{0, 1}}};
  std::vector<std::uint32_t> sorted_{0};  // their numbers, by what they hold
};

// The same list for all pairs. REQUIRES: it is not empty.
[[nodiscard]] LidChoices same_for_all(std::size_t num_endports, const LidChoiceList& list);

// A choice as it goes over the wire: to which LID, on which service level, and what share of the traffic.
struct WeightedPath {
  Lid to = kNoLid;
  std::uint8_t sl = 0;
  double share = 1;

  bool operator==(const WeightedPath&) const = default;
};

// `lanes`: null for one lane, SL 0. Offsets count modulo the destination's number of LIDs. Shares sum to 1.
// REQUIRES: both have LIDs.
[[nodiscard]] std::vector<WeightedPath> weighted_paths(const Fabric& fabric, const LidChoices& choices,
                                                       const Lanes* lanes, EndportId source, EndportId destination);

}  // namespace espalier
