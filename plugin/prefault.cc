// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/prefault.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/large_array.h"
#include "plugin/exception_guard.h"
#include "plugin/opensm.h"
#include "plugin/subnet/map_items.h"
#include "plugin/subnet/shared_lock.h"
#include "plugin/thread_priority.h"

namespace espalier {
namespace {

Discovered discovered(osm_opensm_t& osm) {
  const SharedLock lock(osm);
  const std::size_t switches = cl_qmap_count(&osm.subn.sw_guid_tbl);
  const std::size_t ports = cl_qmap_count(&osm.subn.port_guid_tbl);  // those of switches as well
  return {switches, ports - std::min(ports, switches)};
}

// External ones, cabled or not.
std::size_t count_switch_ports(osm_opensm_t& osm) {
  const SharedLock lock(osm);
  std::size_t count = 0;
  for (const osm_switch_t* sw : items_of<const osm_switch_t>(osm.subn.sw_guid_tbl))
    count += sw->num_ports - 1U;  // OpenSM counts port 0
  return count;
}

}  // namespace

std::size_t first_run_bytes(const Discovered& subnet, std::size_t switch_ports, unsigned lmc) {
  constexpr std::size_t kBytesPerPort = 256;  // by callbacks_bench, on trees of 3 456 and 11 664 hosts
  const std::size_t lids = subnet.switches + (subnet.endports << lmc);
  return subnet.switches * lids + switch_ports * kBytesPerPort;
}

Prefault::Prefault(osm_opensm_t& osm) : osm_(osm), thread_([this](const std::stop_token& stop) { work(stop); }) {}

// Looks again after a sixteenth of the time so far, and asks for memory when as much time has brought nothing new.
void Prefault::follow_discovery(const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration kShortest = std::chrono::milliseconds{20};
  constexpr int kShare = 16;
  prefault_large(kAtOnce, stop);
  const Clock::time_point began = Clock::now();
  Discovered last, ready;
  const auto pause = [&] { return std::max(kShortest, (Clock::now() - began) / kShare); };
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, stop, pause(), [&] { return stop.stop_requested(); });) {
    const Discovered now = discovered(osm_);
    if (now != std::exchange(last, now) || now == ready) continue;
    prefault_large(first_run_bytes(now, count_switch_ports(osm_), osm_.subn.opt.lmc), stop);
    ready = now;
  }
}

void Prefault::work(const std::stop_token& stop) {
  const BackgroundThread priority;
  // Without this memory a run takes longer, no more.
  with_exception_guard([&] { follow_discovery(stop); }, [](const char*) {});
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  changed_.notify_all();
}

void Prefault::wait(bool goes_first) {
  std::unique_lock lock(mutex_);
  if (!has_ended_ && goes_first) raise_thread(thread_.native_handle());
  changed_.wait(lock, [&] { return has_ended_; });
}

}  // namespace espalier
