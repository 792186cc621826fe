// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The device that sends and receives management packets (MADs).
#pragma once

#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include <array>
#include <cstdint>
#include <optional>

#include "core/base/result.h"
#include "core/fabric/ids.h"
#include "core/live/live_subnet.h"

namespace espalier::live {

inline constexpr int kAttempts = 3;         // at each question, before its target counts as silent
inline constexpr int kQuestionsAtOnce = 8;  // in the whole subnet: management packets have no flow control

// An open device with an agent for packets along directed routes. Closes itself.
class UmadDevice {
 public:
  // Errors: there is no such port, the kernel has no device for it, or it may not be used; and what to do.
  [[nodiscard]] static Result<UmadDevice> open(const LocalPort& local_port);
  ~UmadDevice();
  UmadDevice(UmadDevice&& other) noexcept;
  UmadDevice(const UmadDevice&) = delete;
  UmadDevice& operator=(const UmadDevice&) = delete;
  UmadDevice& operator=(UmadDevice&&) = delete;

  // Asks the node at the end of `route` for an attribute. Returns without waiting; the kernel repeats the question and
  // gives it back if nobody answers. `ticket` returns with the answer. Errors: the device refused the packet.
  [[nodiscard]] Status ask(const DirectedRoute& route, unsigned attribute, unsigned modifier, std::uint32_t ticket);

  // Asks the subnet administrator for the path record from one LID to another, in the same way.
  [[nodiscard]] Status ask_path(Lid from, Lid to, std::uint32_t ticket);

  // Asks a switch for what one of its ports has sent and received so far (PortCountersExtended), in the same way.
  [[nodiscard]] Status ask_counters(Lid at, PortNum port, std::uint32_t ticket);

  struct Answer {
    std::uint32_t ticket = 0;
    // The attribute; nothing: no answer, or a refusal.
    std::optional<std::array<std::uint8_t, IB_SMP_DATA_SIZE>> data;
  };
  // Waits for the next answer to any question, no longer than all attempts at one may take. Errors: none came.
  [[nodiscard]] Result<Answer> receive();

 private:
  UmadDevice(int fd, int agent, int timeout_ms) : fd_(fd), agent_(agent), timeout_ms_(timeout_ms) {}
  Status send(ib_rpc_t& question, ib_portid_t& to, int agent, void* data);

  int fd_ = -1;
  int agent_ = -1;                 // of packets along directed routes
  int administration_agent_ = -1;  // of questions to the subnet administrator
  int performance_agent_ = -1;     // of questions about counters
  int timeout_ms_ = 0;
  std::uint16_t administrator_ = 0;  // its LID; 0: the port knows none
};

}  // namespace espalier::live
