// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/live/port_counters.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "core/base/try.h"
#include "core/live/questions.h"
#include "core/live/umad_device.h"

namespace espalier::live {
namespace {

// The counters of a switch port, in units of 4 bytes, seen from its host.
struct Counters {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

using AllCounters = std::vector<std::optional<Counters>>;  // per end port

Status read_all(UmadDevice& device, const Fabric& fabric, AllCounters& counters) {
  counters.assign(fabric.num_endports(), std::nullopt);
  Questions questions(device, kQuestionsAtOnce);
  for (const EndportId e : fabric.endports()) {
    const Endport& host = fabric.at(e);
    if (host.leaf == kNoSwitch || fabric.at(host.leaf).lid == kNoLid) continue;
    const auto ask = [&](std::uint32_t ticket) {
      return device.ask_counters(fabric.at(host.leaf).lid, host.leaf_port, ticket);
    };
    Status put = questions.put(ask, [&counters, e](const Data& data) {
      if (!data) return;
      // What the switch receives the host has sent. mad_get_field64() does not change what it reads.
      auto* const bytes = const_cast<std::uint8_t*>(data->data());
      counters[index(e)] = Counters{.sent = mad_get_field64(bytes, 0, IB_PC_EXT_RCV_BYTES_F),
                                    .received = mad_get_field64(bytes, 0, IB_PC_EXT_XMT_BYTES_F)};
    });
    if (!put) return put;
  }
  return questions.finish_to(0);
}

double rate(std::uint64_t before, std::uint64_t after, double seconds) {
  constexpr double kBytesPerUnit = 4;
  return static_cast<double>(after < before ? after : after - before) * kBytesPerUnit / seconds;
}

}  // namespace

Result<HostRates> measure_hosts(const LocalPort& local_port, const Fabric& fabric, double seconds) {
  ESPALIER_TRY(UmadDevice device, UmadDevice::open(local_port));
  AllCounters before, after;
  const auto start = std::chrono::steady_clock::now();
  Status done = read_all(device, fabric, before);
  if (done) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    done = read_all(device, fabric, after);
  }
  if (!done) {
    done.error().file = local_port.text();
    return tl::unexpected(std::move(done.error()));
  }
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  HostRates rates;
  for (const EndportId e : fabric.endports()) {
    if (fabric.at(e).leaf == kNoSwitch) continue;
    const auto& first = before[index(e)];
    const auto& last = after[index(e)];
    if (first && last)
      rates.rates.push_back(
          {e, rate(first->sent, last->sent, elapsed), rate(first->received, last->received, elapsed)});
    else
      rates.unknown.push_back(e);
  }
  return rates;
}

}  // namespace espalier::live
