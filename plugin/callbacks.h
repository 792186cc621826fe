// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What OpenSM calls. Each callback runs behind the exception guard and under OpenSM's exclusive lock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/head_start.h"
#include "plugin/log.h"
#include "plugin/prefault.h"
#include "plugin/run.h"
#include "plugin/run_priority.h"

extern "C" {
struct osm_opensm;
struct osm_routing_engine;
}

namespace espalier {

// What the plugin is for one osm_opensm_t: one engine object for each name that can stand in `routing_engine`.
class Plugin {
 public:
  // Registers all engines. Throws when OpenSM refuses one.
  explicit Plugin(osm_opensm& osm);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  struct Engine {
    Plugin* plugin;
    std::string name;         // in core/engines
    std::string opensm_name;  // in opensm.conf; another one where OpenSM has an engine of that name itself
  };

  [[nodiscard]] osm_opensm& osm() const { return *osm_; }
  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] PluginState& state() { return state_; }
  // OpenSM has discovered the subnet. It looks after partitions and LIDs, and then asks the first engine of its list: what
  // is not ours may hold a processor for long.
  void discovery_ends() {
    if (!head_start_) return;
    go_first();
    head_start_->begin();
  }
  // It wants routes.
  void routing_begins() {
    if (prefault_) prefault_->stop();
    if (head_start_) head_start_->stop();
  }
  // What comes now goes first, where espalier.conf as it was read last says so, until OpenSM has sent the tables, or this
  // engine declines.
  void go_first() {
    if (state_.config.thread_priority == ThreadPriority::kRealtime)
      priority_.raise();
    else
      priority_.lower();
  }
  // Gives the state what has been done for a run of this engine.
  void use_head_start(std::string_view engine) {
    if (head_start_) head_start_->hand_over(engine, state_);
  }
  void run_is_over() { priority_.lower(); }
  void tables_are_written() { state_.repairs.resume(); }

 private:
  osm_opensm* osm_;
  Log log_;
  RunPriority priority_;
  PluginState state_;
  std::vector<std::unique_ptr<Engine>> engines_;  // OpenSM holds their addresses as contexts
  std::optional<Prefault> prefault_;              // where OpenSM is to use one of them
  std::optional<HeadStart> head_start_;           // where it is to ask one of them first
};

}  // namespace espalier
