// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Many questions to a device at once, each with what its answer is for.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/live/umad_device.h"

namespace espalier::live {

using Data = std::optional<std::array<std::uint8_t, IB_SMP_DATA_SIZE>>;

// Questions of one kind under way, each with what is to be done with the answer.
class Questions {
 public:
  Questions(UmadDevice& device, std::size_t at_once) : device_(device), at_once_(at_once) {}

  // `ask(ticket)` sends one.
  template <class Ask>
  Status put(Ask&& ask, std::function<void(const Data&)> take) {
    if (Status done = finish_to(at_once_ - 1); !done) return done;
    const std::uint32_t ticket = ++last_ticket_;
    if (Status sent = ask(ticket); !sent) return sent;
    open_.emplace(ticket, std::move(take));
    return {};
  }
  // Receives until no more than `limit` are open.
  Status finish_to(std::size_t limit) {
    while (open_.size() > limit) {
      const Result<UmadDevice::Answer> answer = device_.receive();
      if (!answer) return tl::unexpected(answer.error());
      const auto found = open_.find(answer->ticket);
      if (found == open_.end()) continue;
      found->second(answer->data);
      open_.erase(found);
    }
    return {};
  }

 private:
  UmadDevice& device_;
  std::size_t at_once_;
  std::unordered_map<std::uint32_t, std::function<void(const Data&)>> open_;
  std::uint32_t last_ticket_ = 0;
};

}  // namespace espalier::live
