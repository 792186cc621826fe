// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/fit_flows.h"

#include <fmt/format.h>

#include <bit>
#include <optional>

#include "core/base/check.h"
#include "core/fabric/endport_index.h"
#include "core/schedule/check_schedule.h"

namespace espalier {
namespace {

// For each link and server the phases in which it is busy, as bits; rows grow with the number of phases.
class BusyPhases {
 public:
  BusyPhases(std::size_t num_rows, std::size_t phases) : words_(phases / 64 + 1), bits_(num_rows * words_, 0) {}

  void set(std::size_t row, std::size_t phase) { bits_[row * words_ + phase / 64] |= std::uint64_t{1} << (phase % 64); }

  // The first phase in which no row of the list is busy. May be beyond the last phase by any amount.
  std::size_t first_free(const std::vector<std::size_t>& rows) {
    for (std::size_t w = 0; w < words_; ++w) {
      std::uint64_t busy = 0;
      for (const std::size_t row : rows) busy |= bits_[row * words_ + w];
      if (busy != ~std::uint64_t{0}) return w * 64 + static_cast<std::size_t>(std::countr_one(busy));
    }
    const std::size_t phase = words_ * 64;
    widen();
    return phase;
  }

 private:
  void widen() {
    const std::size_t num_rows = bits_.size() / words_;
    std::vector<std::uint64_t> wide(num_rows * words_ * 2, 0);
    for (std::size_t row = 0; row < num_rows; ++row)
      for (std::size_t w = 0; w < words_; ++w) wide[row * words_ * 2 + w] = bits_[row * words_ + w];
    words_ *= 2;
    bits_ = std::move(wide);
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

class Fitter {
 public:
  Fitter(const Fabric& fabric, const ForwardingTables& tables, Schedule& schedule)
      : fabric_(fabric),
        tables_(tables),
        schedule_(schedule),
        num_servers_(schedule.servers.size()),
        busy_(2 * num_servers_ + fabric.num_channels(), schedule.phases) {
    const EndportIndex endports(fabric);
    for (const Guid guid : schedule.servers) port_.push_back(endports.find(guid));
    for (std::size_t s = 0; s < num_servers_; ++s)
      for (std::size_t phase = 0; phase < schedule.phases; ++phase) occupy(s, schedule.at(s, phase), phase);
  }

  Status fit(const std::vector<PendingFlow>& flows) {
    struct Placed {
      std::size_t phase;
      const PendingFlow* flow;
      Lid dlid;
    };
    std::vector<Placed> placed;
    std::size_t phases = schedule_.phases;
    for (const PendingFlow& flow : flows) {
      std::optional<Placed> best;
      std::vector<std::size_t> rows;
      for (std::size_t k = 0; k < flow.num_lids; ++k) {
        const Lid dlid = id_at<Lid>(index(flow.dlid) + k);
        if (!follow_flow(fabric_, tables_, port_[flow.from], dlid, path_))
          return fail(
              fmt::format("the tables do not deliver LID {} from {}", index(dlid), fabric_.label(port_[flow.from])));
        collect_rows(flow.from, flow.to);
        const std::size_t phase = busy_.first_free(rows_);
        if (best && best->phase <= phase) continue;
        best = {phase, &flow, dlid};
        rows = rows_;
      }
      for (const std::size_t row : rows) busy_.set(row, best->phase);
      placed.push_back(*best);
      phases = std::max(phases, best->phase + 1);
    }
    lengthen(static_cast<std::uint32_t>(phases));
    for (const Placed& p : placed) schedule_.at(p.flow->from, p.phase) = {p.flow->to, p.dlid};
    return {};
  }

 private:
  void collect_rows(std::size_t from, std::size_t to) {
    rows_ = {from, num_servers_ + to};
    for (const ChannelId c : path_) rows_.push_back(2 * num_servers_ + index(c));
  }

  void occupy(std::size_t from, const Send& send, std::size_t phase) {
    if (send.destination == Send::kIdle) return;
    check(follow_flow(fabric_, tables_, port_[from], send.dlid, path_), "the schedule at hand is delivered");
    collect_rows(from, send.destination);
    for (const std::size_t row : rows_) busy_.set(row, phase);
  }

  void lengthen(std::uint32_t phases) {
    std::vector<Send> sends(num_servers_ * phases);
    for (std::size_t s = 0; s < num_servers_; ++s)
      for (std::size_t phase = 0; phase < schedule_.phases; ++phase) sends[s * phases + phase] = schedule_.at(s, phase);
    schedule_.sends = std::move(sends);
    schedule_.phases = phases;
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  Schedule& schedule_;
  std::size_t num_servers_;
  BusyPhases busy_;  // rows: senders, receivers, channels
  std::vector<EndportId> port_;
  std::vector<std::size_t> rows_;
  std::vector<ChannelId> path_;
};

}  // namespace

Status fit_flows(const Fabric& fabric, const ForwardingTables& tables, const std::vector<PendingFlow>& flows,
                 Schedule& schedule) {
  return Fitter(fabric, tables, schedule).fit(flows);
}

}  // namespace espalier
