// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB

#include <utility>
#include <vector>

#include "core/base/try.h"
#include "core/fabric/lane_tables.h"
#include "core/live/live_subnet.h"
#include "core/live/questions.h"
#include "core/live/umad_device.h"

namespace espalier::live {
namespace {

constexpr std::size_t kPathsAtOnce = 64;  // one node is asked, and by packets with flow control of their own

// Four bits for each SL, the first in the upper half.
VlsBySl vls_of(const std::array<std::uint8_t, IB_SMP_DATA_SIZE>& data) {
  VlsBySl vls{};
  for (std::size_t sl = 0; sl < kNumSls; ++sl)
    vls[sl] = static_cast<std::uint8_t>(sl % 2 == 0 ? data[sl / 2] >> 4U : data[sl / 2] & 15U);
  return vls;
}

Status read_sl2vl(UmadDevice& device, const Fabric& fabric, const IdVector<SwitchId, TableAddress>& addresses,
                  LaneTables& tables, std::size_t& unknown) {
  Questions questions(device, kQuestionsAtOnce);
  for (const SwitchId s : fabric.switches())
    for (std::size_t out = 1; out <= fabric.at(s).num_ports; ++out) {
      if (!fabric.peer(s, id_at<PortNum>(out)).is_switch()) continue;
      for (std::size_t in = 0; in <= fabric.at(s).num_ports; ++in) {
        if (in > 0 && fabric.peer(s, id_at<PortNum>(in)).kind == Peer::Kind::kNone) continue;
        const auto ask = [&](std::uint32_t ticket) {
          return device.ask(addresses[s].route, IB_ATTR_SLVL_TABLE, static_cast<unsigned>(in << 8U | out), ticket);
        };
        Status put = questions.put(ask, [&, s, in, out](const Data& data) {
          if (data)
            tables.set(s, id_at<PortNum>(in), id_at<PortNum>(out), vls_of(*data));
          else
            ++unknown;
        });
        if (!put) return put;
      }
    }
  return questions.finish_to(0);
}

Status read_paths(UmadDevice& device, const Fabric& fabric, PairLevels& levels, std::size_t& unknown,
                  Progress* progress) {
  std::vector<Lid> sources;  // base LIDs
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).leaf != kNoSwitch && fabric.at(e).lid != kNoLid) sources.push_back(fabric.at(e).lid);
  for (const SwitchId s : fabric.switches())
    if (fabric.at(s).lid != kNoLid) sources.push_back(fabric.at(s).lid);
  begin(progress, sources.size());
  Questions questions(device, kPathsAtOnce);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    advance(progress);
    const SwitchId here = fabric.destination_switch(sources[i]);
    for (std::size_t l = 1; l <= index(fabric.top_lid()); ++l) {
      const Lid lid = id_at<Lid>(l);
      const SwitchId there = fabric.destination_switch(lid);
      if (there == kNoSwitch || there == here) continue;
      const auto ask = [&](std::uint32_t ticket) { return device.ask_path(sources[i], lid, ticket); };
      Status put = questions.put(ask, [&levels, &unknown, from = sources[i], lid](const Data& data) {
        // mad_get_field() does not change what it reads.
        if (data)
          levels.set(from, lid,
                     static_cast<std::uint8_t>(
                         mad_get_field(const_cast<std::uint8_t*>(data->data()), 0, IB_SA_PR_SL_F) & 15U));
        else
          ++unknown;
      });
      if (!put) return put;
    }
  }
  return questions.finish_to(0);
}

}  // namespace

Result<LiveLanes> read_lanes(const LocalPort& local_port, const Fabric& fabric,
                             const IdVector<SwitchId, TableAddress>& addresses, Progress* progress) {
  if (!PairLevels::fits(fabric))
    return fail_at(local_port.text(), 0, "the fabric has too many pairs of LIDs to ask for all");
  ESPALIER_TRY(UmadDevice device, UmadDevice::open(local_port));
  LaneTables tables(fabric);
  PairLevels levels(fabric);
  std::size_t unknown_tables = 0, unknown_paths = 0;
  Status done = read_sl2vl(device, fabric, addresses, tables, unknown_tables);
  if (done) done = read_paths(device, fabric, levels, unknown_paths, progress);
  if (!done) {
    done.error().file = local_port.text();
    return tl::unexpected(std::move(done.error()));
  }
  return LiveLanes{Lanes(levels.take(), tables.maps()), unknown_paths, unknown_tables};
}

}  // namespace espalier::live
