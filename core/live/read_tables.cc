// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "core/live/live_subnet.h"
#include "core/live/umad_device.h"

namespace espalier::live {
namespace {

constexpr std::size_t kBlock = 64;  // entries in one answer

struct BlockRequest {
  SwitchId from;
  unsigned block = 0;
};

// Block by block, and each block from all switches in turn, so that no switch has many questions at a time.
class TableReader {
 public:
  TableReader(UmadDevice& device, const LiveSubnet& subnet)
      : device_(device),
        subnet_(subnet),
        tables_(subnet.fabric.num_switches(), subnet.fabric.top_lid()),
        silent_(subnet.fabric.num_switches(), 0) {
    for (const SwitchId s : subnet.fabric.switches()) silent_[s] = subnet.tables[s].top ? 0 : 1;
  }

  Status read() {
    const std::size_t num_blocks = (tables_.width() + kBlock - 1) / kBlock;
    for (unsigned block = 0; block < num_blocks; ++block)
      for (const SwitchId s : subnet_.fabric.switches()) {
        if (silent_[s] != 0 || block * kBlock > *subnet_.tables[s].top) continue;
        if (Status done = finish_to(kQuestionsAtOnce - 1); !done) return done;
        const std::uint32_t ticket = ++last_ticket_;
        if (Status sent = device_.ask(subnet_.tables[s].route, IB_ATTR_LINEARFORWTBL, block, ticket); !sent)
          return sent;
        open_.emplace(ticket, BlockRequest{s, block});
      }
    return finish_to(0);
  }

  LiveTables result() && {
    LiveTables live{std::move(tables_), {}};
    for (const SwitchId s : subnet_.fabric.switches())
      if (silent_[s] != 0)
        live.unknown.push_back(fmt::format("switch {} does not report its table", subnet_.fabric.label(s)));
    for (const SilentPort& silent : subnet_.silent)
      if (silent_[silent.at] == 0 && is_used(live.tables, silent))
        live.unknown.push_back(fmt::format("switch {} sends packets out of port {}, where no node answers",
                                           subnet_.fabric.label(silent.at), index(silent.port)));
    return live;
  }

 private:
  // Receives until no more than `limit` questions are open.
  Status finish_to(std::size_t limit) {
    while (open_.size() > limit) {
      const Result<UmadDevice::Answer> answer = device_.receive();
      if (!answer) return tl::unexpected(answer.error());
      const auto found = open_.find(answer->ticket);
      if (found == open_.end()) continue;
      const BlockRequest request = found->second;
      open_.erase(found);
      if (answer->data)
        store(request, *answer->data);
      else
        forget(request.from);
    }
    return {};
  }

  void store(const BlockRequest& request, const std::array<std::uint8_t, IB_SMP_DATA_SIZE>& ports) {
    if (silent_[request.from] != 0) return;
    const std::size_t first = request.block * kBlock;
    const std::size_t last = std::min<std::size_t>(*subnet_.tables[request.from].top, tables_.width() - 1);
    for (std::size_t lid = std::max<std::size_t>(first, 1); lid <= last && lid < first + kBlock; ++lid)
      if (const std::uint8_t port = ports[lid - first]; port <= subnet_.fabric.at(request.from).num_ports)
        tables_.set(request.from, id_at<Lid>(lid), PortNum{port});
  }

  // Half a table is none.
  void forget(SwitchId s) {
    silent_[s] = 1;
    std::fill(tables_.row(s).begin(), tables_.row(s).end(), kNoPort);
  }

  bool is_used(const ForwardingTables& tables, const SilentPort& silent) const {
    for (std::size_t lid = 1; lid < tables.width(); ++lid)
      if (tables.at(silent.at, id_at<Lid>(lid)) == silent.port &&
          subnet_.fabric.owner(id_at<Lid>(lid)).kind != LidOwner::Kind::kNone)
        return true;
    return false;
  }

  UmadDevice& device_;
  const LiveSubnet& subnet_;
  ForwardingTables tables_;
  IdVector<SwitchId, std::uint8_t> silent_;  // 1: its row is unknown
  std::unordered_map<std::uint32_t, BlockRequest> open_;
  std::uint32_t last_ticket_ = 0;
};

}  // namespace

Result<LiveTables> read_tables(const LocalPort& local_port, const LiveSubnet& subnet) {
  Result<UmadDevice> device = UmadDevice::open(local_port);
  if (!device) return tl::unexpected(std::move(device.error()));
  TableReader reader(*device, subnet);
  if (Status done = reader.read(); !done) {
    done.error().file = local_port.text();
    return tl::unexpected(std::move(done.error()));
  }
  return std::move(reader).result();
}

}  // namespace espalier::live
