// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Tables that a thread of ours has begun to make before the run that needs them.
#pragma once

#include <chrono>
#include <future>
#include <memory>

#include "core/repair/repairable_reference.h"
#include "plugin/repair/routing_task.h"

namespace espalier {

class MulticastState;
class UploadAhead;
struct SoundRouting;

struct TablesAhead {
  RoutingTask task;
  std::shared_ptr<const RepairableReference> reference;  // that they are repaired from; null: the engine makes them
  std::shared_future<std::shared_ptr<const SoundRouting>> sound;  // null: there are none, or they are not sound
  std::shared_ptr<MulticastState>
      multicast;         // beside these tables, once they are there; null: nothing is known of it yet
  bool is_first = true;  // run for which they are
  std::shared_ptr<UploadAhead> upload = nullptr;  // of these tables, as far as it is made; null: none

  // Whether `routing` are these tables. Does not wait.
  [[nodiscard]] bool made(const SoundRouting& routing) const {
    return sound.wait_for(std::chrono::seconds(0)) == std::future_status::ready && sound.get().get() == &routing;
  }
  // Whether they are what the engine would make now. REQUIRES: both tasks are of the same espalier.conf and opensm.conf.
  [[nodiscard]] bool serve(const RoutingTask& wanted) const {
    return wanted.fabric == task.fabric && wanted.tree == task.tree && wanted.engine == task.engine &&
           wanted.origin == task.origin && wanted.options.groups == task.options.groups &&
           wanted.options.host_order.hosts == task.options.host_order.hosts;
  }
};

}  // namespace espalier
