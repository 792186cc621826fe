// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Memory for the first routing run, handed out by the kernel while OpenSM discovers (prefaulting). A run that writes fresh
// memory waits for the kernel, in virtual machines for half of its time, and all of OpenSM waits for the run.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <thread>

extern "C" struct osm_opensm;

namespace espalier {

// What OpenSM has discovered.
struct Discovered {
  std::size_t switches = 0;
  std::size_t endports = 0;

  bool operator==(const Discovered&) const = default;
};

// Bytes of flat arrays in a first run over it, about: the forwarding tables, and what is kept of each port of the
// switches. `lmc` is that of end ports.
[[nodiscard]] std::size_t first_run_bytes(const Discovered& subnet, std::size_t switch_ports, unsigned lmc);

class Prefault {
 public:
  // For a small subnet, which is discovered, and wants routes, before more could be asked for.
  static constexpr std::size_t kAtOnce = std::size_t{4} << 20;

  // Starts a thread, which asks for more as OpenSM finds more.
  explicit Prefault(osm_opensm& osm);
  // A run begins: it is too late now. Returns at once.
  void stop() { thread_.request_stop(); }
  // After stop(): until the thread has ended, which is soon; on a busy machine only where it `goes_first`.
  void wait(bool goes_first = false);

 private:
  void work(const std::stop_token& stop);
  void follow_discovery(const std::stop_token& stop);

  osm_opensm& osm_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool has_ended_ = false;
  std::jthread thread_;  // last: ends first
};

}  // namespace espalier
