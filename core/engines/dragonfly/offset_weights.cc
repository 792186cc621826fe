// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/dragonfly/offset_weights.h"

#include <set>

namespace espalier {
namespace {

constexpr double kWeightOfNonminimal = 4;  // of each offset above 0; that of offset 0 is 1

}  // namespace

LidChoices weigh_offsets(const Fabric& fabric) {
  std::set<std::uint32_t> lmcs{0};
  for (const EndportId e : fabric.endports()) lmcs.insert(fabric.at(e).lmc);
  LidChoices choices(fabric.num_endports(), 1, *lmcs.rbegin() + 1);
  for (const std::uint32_t lmc : lmcs) {
    LidChoiceList list;
    for (unsigned k = 0; k < 1U << lmc; ++k)
      list.push_back({static_cast<std::uint8_t>(k), k == 0 ? 1 : kWeightOfNonminimal});
    choices.use(0, lmc, choices.add_list(list));
  }
  for (const EndportId e : fabric.endports()) choices.set_destination_class(e, fabric.at(e).lmc);
  return choices;
}

}  // namespace espalier
