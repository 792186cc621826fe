// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/kept_reference.h"

#include <utility>

#include "core/repair/survivors/survivors.h"
#include "core/tree/order/host_order.h"

namespace espalier {

bool KeptReference::serves(const RoutingTask& task) const {
  const std::optional<Lanes>& lanes = prepared->reference().lanes;
  return origin.engine == task.origin.engine && (!lanes || lanes->num_vls() <= task.options.max_vls);
}

std::shared_ptr<const RepairableReference> prepare(const RoutingTask& task, ForwardingTables tables,
                                                   std::optional<Lanes> lanes) {
  return prepare(make_reference(task.origin.text(), *task.tree, std::move(tables),
                                hosts_in_order(*task.tree, task.options.host_order), std::move(lanes)));
}

KeptReference kept_from_state(std::shared_ptr<const RepairableReference> read, const RoutingTask& task,
                              std::string directory) {
  const bool same = read->reference().engine == task.origin.text();
  return {std::move(read),
          {task.origin.engine, same ? task.origin.options : ""},
          same,
          KeptReference::Clock::now(),
          std::move(directory)};
}

bool stands_for(const RoutingTask& made, const RoutingTask& wanted) {
  return made.origin == wanted.origin && made.fabric->num_switches() >= wanted.fabric->num_switches() &&
         made.fabric->num_endports() >= wanted.fabric->num_endports();
}

bool has_followers(const RepairableReference& reference, const Fabric& fabric) {
  const Survivors alive = find_survivors(reference.reference().fabric, fabric);
  return !alive.arrived.empty() || !alive.new_switches.empty();
}

}  // namespace espalier
