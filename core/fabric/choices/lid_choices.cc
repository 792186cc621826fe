// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/choices/lid_choices.h"

#include <algorithm>
#include <numeric>

#include "core/fabric/fabric.h"

namespace espalier {

bool has_several_lids(const Fabric& fabric) {
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).lmc > 0) return true;
  return false;
}

LidChoices::LidChoices(std::size_t num_endports, std::size_t num_sources, std::size_t num_destinations)
    : num_sources_(num_sources),
      num_destinations_(num_destinations),
      source_class_(num_endports),
      destination_class_(num_endports),
      of_classes_(num_sources * num_destinations, 0) {}

std::uint32_t LidChoices::add_list(const LidChoiceList& list) {
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), list,
                                   [&](std::uint32_t known, const LidChoiceList& l) { return lists_[known] < l; });
  if (at != sorted_.end() && lists_[*at] == list) return *at;
  lists_.push_back(list);
  return *sorted_.insert(at, static_cast<std::uint32_t>(lists_.size() - 1));
}

LidChoices same_for_all(std::size_t num_endports, const LidChoiceList& list) {
  LidChoices choices(num_endports);
  choices.use(0, 0, choices.add_list(list));
  return choices;
}

std::vector<WeightedPath> weighted_paths(const Fabric& fabric, const LidChoices& choices, const Lanes* lanes,
                                         EndportId source, EndportId destination) {
  const Endport& from = fabric.at(source);
  const Endport& to = fabric.at(destination);
  const LidChoiceList& list = choices.at(source, destination);
  const double all =
      std::accumulate(list.begin(), list.end(), 0.0, [](double sum, const LidChoice& c) { return sum + c.weight; });
  std::vector<WeightedPath> paths;
  for (const LidChoice& choice : list) {
    const Lid lid = lid_at_offset(to.lid, choice.offset % (std::size_t{1} << to.lmc));
    paths.push_back({lid, lanes == nullptr ? std::uint8_t{0} : lanes->sl(from.lid, lid), choice.weight / all});
  }
  return paths;
}

}  // namespace espalier
