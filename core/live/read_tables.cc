// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/try.h"
#include "core/live/live_subnet.h"
#include "core/live/questions.h"
#include "core/live/umad_device.h"

namespace espalier::live {
namespace {

// Block by block, and each block from all switches in turn, so that no switch has many questions at a time.
class TableReader {
 public:
  TableReader(UmadDevice& device, const LiveSubnet& subnet)
      : device_(device),
        questions_(device, kQuestionsAtOnce),
        subnet_(subnet),
        tables_(subnet.fabric.num_switches(), subnet.fabric.top_lid()),
        silent_(subnet.fabric.num_switches(), 0) {
    for (const SwitchId s : subnet.fabric.switches()) silent_[s] = subnet.tables[s].top ? 0 : 1;
  }

  Status read() {
    const std::size_t num_blocks = (tables_.width() + kLidsPerBlock - 1) / kLidsPerBlock;
    for (unsigned block = 0; block < num_blocks; ++block)
      for (const SwitchId s : subnet_.fabric.switches()) {
        if (silent_[s] != 0 || block * kLidsPerBlock > *subnet_.tables[s].top) continue;
        const auto ask = [&](std::uint32_t ticket) {
          return device_.ask(subnet_.tables[s].route, IB_ATTR_LINEARFORWTBL, block, ticket);
        };
        if (Status sent = questions_.put(ask, [this, s, block](const Data& data) { take(s, block, data); }); !sent)
          return sent;
      }
    return questions_.finish_to(0);
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
  void take(SwitchId from, unsigned block, const Data& ports) {
    if (!ports) return forget(from);
    if (silent_[from] != 0) return;
    const std::size_t first = block * kLidsPerBlock;
    const std::size_t last = std::min<std::size_t>(*subnet_.tables[from].top, tables_.width() - 1);
    for (std::size_t lid = std::max<std::size_t>(first, 1); lid <= last && lid < first + kLidsPerBlock; ++lid)
      if (const std::uint8_t port = (*ports)[lid - first]; port <= subnet_.fabric.at(from).num_ports)
        tables_.set(from, id_at<Lid>(lid), PortNum{port});
  }

  // Half a table is none.
  void forget(SwitchId s) {
    silent_[s] = 1;
    std::fill(tables_.row(s).begin(), tables_.row(s).end(), kNoPort);
  }

  bool is_used(const ForwardingTables& tables, const SilentPort& silent) const {
    for (std::size_t lid = 1; lid < tables.width(); ++lid)
      if (tables.at(silent.at, id_at<Lid>(lid)) == silent.port && subnet_.fabric.is_in_use(id_at<Lid>(lid)))
        return true;
    return false;
  }

  UmadDevice& device_;
  Questions questions_;
  const LiveSubnet& subnet_;
  ForwardingTables tables_;
  IdVector<SwitchId, std::uint8_t> silent_;  // 1: its row is unknown
};

}  // namespace

Result<LiveTables> read_tables(const LocalPort& local_port, const LiveSubnet& subnet) {
  ESPALIER_TRY(UmadDevice device, UmadDevice::open(local_port));
  TableReader reader(device, subnet);
  if (Status done = reader.read(); !done) {
    done.error().file = local_port.text();
    return tl::unexpected(std::move(done.error()));
  }
  return std::move(reader).result();
}

}  // namespace espalier::live
