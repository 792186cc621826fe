// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/simulation/flow_simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>

namespace espalier {
namespace {

namespace s4u = simgrid::s4u;

// The engine's words: plain max-min sharing. Without them SimGrid would model TCP over Ethernet: windows bounded by the
// round trip, 5 % for acknowledgements, weights by latency. Sanitizers follow threads, but not stacks of SimGrid's own.
s4u::Engine& start_engine() {
  static std::vector<std::string> words {
    "espalier", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:0",
        "--cfg=network/weight-S:0", "--log=root.thres:error",
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        "--cfg=contexts/factory:thread",
#endif
  };
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return *new s4u::Engine(&count, arguments.data());
}

// The fabric as SimGrid sees it, as far as transfers touch it: one of its hosts for each sending or receiving LID, one
// of its links for each wire, a route for each pair of LIDs. Lives as long as the simulation.
class Platform {
 public:
  Platform(const Fabric& fabric, const ForwardingTables& tables, const SimulationOptions& options)
      : fabric_(fabric),
        tables_(tables),
        options_(options),
        engine_(&start_engine()),
        zone_(s4u::create_empty_zone("fabric")),
        conductor_(zone_->create_host("conductor", 1.0)),
        sender_(index(fabric.top_lid()) + 1),
        receiver_(sender_.size()),
        link_(num_wires(fabric)) {}
  ~Platform() { delete engine_; }
  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

  // Whether the tables deliver it; a route is known to SimGrid then.
  bool add(const Transfer& transfer) {
    const auto [known, is_new] = delivered_.try_emplace({transfer.from, transfer.to}, false);
    if (!is_new) return known->second;
    std::vector<s4u::LinkInRoute> route;
    for (const Wire w : wires_of(fabric_, tables_, transfer)) route.emplace_back(link(w));
    if (route.empty()) return false;
    zone_->add_bypass_route(host(sender_, "s", transfer.from)->get_netpoint(),
                            host(receiver_, "r", transfer.to)->get_netpoint(), nullptr, nullptr, route);
    return known->second = true;
  }

  // REQUIRES: add() said yes.
  [[nodiscard]] s4u::CommPtr start(const Transfer& transfer, double scale) const {
    return s4u::Comm::sendto_async(sender_[index(transfer.from)], receiver_[index(transfer.to)],
                                   static_cast<std::uint64_t>(transfer.bytes * scale));
  }

  // `work` acts while simulated time goes by; run() lets it.
  void add_actor(const std::string& name, const std::function<void()>& work) {
    if (!sealed_) zone_->seal();
    sealed_ = true;
    s4u::Actor::create(name, conductor_, work);
  }
  void run() const { engine_->run(); }
  // Seconds on SimGrid's clock, which goes on from one simulation of the process to the next.
  [[nodiscard]] static double clock() { return s4u::Engine::get_clock(); }

 private:
  using Hosts = std::vector<s4u::Host*>;

  s4u::Host* host(Hosts& hosts, const char* prefix, Lid lid) {
    s4u::Host*& known = hosts[index(lid)];
    if (known == nullptr) known = zone_->create_host(fmt::format("{}{}", prefix, index(lid)), 1.0);
    return known;
  }
  s4u::Link* link(Wire wire) {
    s4u::Link*& known = link_[wire];
    if (known == nullptr) {
      known = zone_->create_link(fmt::format("w{}", wire), wire_rate(fabric_, wire, options_));
      known->set_latency(0.0)->seal();
    }
    return known;
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  const SimulationOptions& options_;
  s4u::Engine* engine_;
  s4u::NetZone* zone_;
  s4u::Host* conductor_;
  bool sealed_ = false;
  Hosts sender_;                  // per LID
  Hosts receiver_;                // per LID
  std::vector<s4u::Link*> link_;  // per wire
  std::map<std::pair<Lid, Lid>, bool> delivered_;
};

// SimGrid counts whole bytes in 64 bits, and nanoseconds are the least that it tells apart: sizes for which that is too
// coarse or too narrow are simulated as so many times as large. Rates do not depend on sizes, and times follow them.
class Scale {
 public:
  void add(const Transfer& transfer) {
    least_ = std::min(least_, transfer.bytes);
    most_ = std::max(most_, transfer.bytes);
  }
  [[nodiscard]] double value() const {
    constexpr double kFew = 1e3;
    constexpr double kEnough = 1e6;
    constexpr double kMany = 1e15;
    const double scale = least_ < kFew ? kEnough / least_ : 1;
    return most_ * scale > kMany ? kMany / most_ : scale;
  }

 private:
  double least_ = std::numeric_limits<double>::max();
  double most_ = 0;
};

}  // namespace

SimulatedTimes simulate_phases(const Fabric& fabric, const ForwardingTables& tables,
                               std::span<const std::vector<Transfer>> phases, const SimulationOptions& options) {
  SimulatedTimes times{.seconds = std::vector<double>(phases.size()), .left_out = {}};
  Platform platform(fabric, tables, options);
  std::vector<std::vector<Transfer>> delivered(phases.size());
  Scale sizes;
  std::size_t position = 0;
  for (std::size_t i = 0; i < phases.size(); ++i)
    for (const Transfer& transfer : phases[i]) {
      if (platform.add(transfer)) {
        delivered[i].push_back(transfer);
        sizes.add(transfer);
      } else {
        times.left_out.push_back(position);
      }
      ++position;
    }
  begin(options.progress, position - times.left_out.size());
  const double scale = sizes.value();
  platform.add_actor("barrier", [&] {
    for (std::size_t i = 0; i < delivered.size(); ++i) {
      const double start = Platform::clock();
      std::vector<s4u::CommPtr> running;
      for (const Transfer& transfer : delivered[i]) running.push_back(platform.start(transfer, scale));
      for (const s4u::CommPtr& transfer : running) {
        transfer->wait();
        advance(options.progress);
      }
      times.seconds[i] = (Platform::clock() - start) / scale;
    }
  });
  platform.run();
  return times;
}

SimulatedTimes simulate_streams(const Fabric& fabric, const ForwardingTables& tables,
                                std::span<const Transfer> transfers, const SimulationOptions& options) {
  SimulatedTimes times{.seconds = std::vector<double>(transfers.size()), .left_out = {}};
  Platform platform(fabric, tables, options);
  std::map<Lid, std::vector<std::size_t>> streams;  // by sender
  Scale sizes;
  for (std::size_t i = 0; i < transfers.size(); ++i)
    if (platform.add(transfers[i])) {
      streams[base_of(fabric, transfers[i].from)].push_back(i);
      sizes.add(transfers[i]);
    } else {
      times.left_out.push_back(i);
    }
  const double scale = sizes.value();
  const double start = Platform::clock();
  for (const auto& [base, own] : streams)
    platform.add_actor(fmt::format("a{}", index(base)), [&, &own = own] {
      for (const std::size_t i : own) {
        platform.start(transfers[i], scale)->wait();
        times.seconds[i] = (Platform::clock() - start) / scale;
        advance(options.progress);
      }
    });
  begin(options.progress, transfers.size() - times.left_out.size());
  platform.run();
  return times;
}

}  // namespace espalier
