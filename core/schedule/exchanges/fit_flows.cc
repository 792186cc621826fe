// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/fit_flows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/fabric/endport_index.h"
#include "core/schedule/check_schedule.h"

namespace espalier {
namespace {

// For each link and server the phases in which it is busy, as bits; rows grow with the number of phases.
class BusyPhases {
 public:
  BusyPhases(std::size_t num_rows, std::size_t phases)
      : words_(phases / 64 + 1), bits_(num_rows * words_, 0), full_words_(num_rows, 0) {}

  void set(std::size_t row, std::size_t phase) {
    std::uint64_t* const words = &bits_[row * words_];
    words[phase / 64] |= std::uint64_t{1} << (phase % 64);
    std::uint32_t& full = full_words_[row];
    while (full < words_ && words[full] == ~std::uint64_t{0}) ++full;
  }

  // The first phase in which no row of the list is busy. May be beyond the last phase by any amount.
  std::size_t first_free(const std::vector<std::size_t>& rows) {
    std::size_t w = 0;
    for (const std::size_t row : rows) w = std::max<std::size_t>(w, full_words_[row]);
    for (; w < words_; ++w) {
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
    const std::size_t wide = words_ + words_ / 4 + 1;
    std::vector<std::uint64_t> bits(full_words_.size() * wide, 0);
    for (std::size_t row = 0; row < full_words_.size(); ++row)
      for (std::size_t w = 0; w < words_; ++w) bits[row * wide + w] = bits_[row * words_ + w];
    words_ = wide;
    bits_ = std::move(bits);
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> full_words_;  // per row: so many at its beginning have no free phase
};

class Fitter {
 public:
  Fitter(const Fabric& fabric, const ForwardingTables& tables, Schedule& schedule)
      : fabric_(fabric),
        tables_(tables),
        schedule_(schedule),
        num_servers_(schedule.servers.size()),
        phases_(schedule.phases),
        busy_(2 * num_servers_ + fabric.num_channels(), std::max(schedule.phases, schedule.bound)) {
    const EndportIndex endports(fabric);
    for (const Guid guid : schedule.servers) port_.push_back(endports.find(guid));
    for (std::size_t s = 0; s < num_servers_; ++s)
      for (std::size_t phase = 0; phase < schedule.phases; ++phase) occupy(s, schedule.at(s, phase), phase);
    // A little more than the bound: most schedules end there, and a larger table is a second one while it is copied.
    make_room(std::max(schedule.phases, schedule.bound + schedule.bound / 64));
  }

  [[nodiscard]] Lid lid(std::uint32_t server) const { return fabric_.at(port_[server]).lid; }

  Status add(const PendingFlow& flow) {
    std::size_t phase = kNever;
    Lid chosen = kNoLid;
    for (const Lid dlid : IdRange<Lid>(flow.dlid, flow.num_lids)) {
      if (!follow_flow(fabric_, tables_, port_[flow.from], dlid, path_))
        return fail(
            fmt::format("the tables do not deliver LID {} from {}", index(dlid), fabric_.label(port_[flow.from])));
      collect_rows(flow.from, flow.to, rows_);
      const std::size_t at = busy_.first_free(rows_);
      if (at >= phase) continue;
      phase = at;
      chosen = dlid;
      std::swap(rows_, best_rows_);
    }
    for (const std::size_t row : best_rows_) busy_.set(row, phase);
    if (phase >= schedule_.phases) make_room(static_cast<std::uint32_t>(phase + 1 + phase / 8));
    schedule_.at(flow.from, phase) = {flow.to, chosen};
    phases_ = std::max(phases_, static_cast<std::uint32_t>(phase + 1));
    return {};
  }

  // To be called once, after all flows: leaves only the phases that are used.
  void finish() {
    const std::size_t stride = schedule_.phases;
    for (std::size_t s = 1; s < num_servers_ && phases_ < stride; ++s)
      std::copy_n(schedule_.sends.begin() + static_cast<std::ptrdiff_t>(s * stride), phases_,
                  schedule_.sends.begin() + static_cast<std::ptrdiff_t>(s * phases_));
    schedule_.sends.resize(num_servers_ * phases_);
    schedule_.phases = phases_;
  }

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};

  void collect_rows(std::size_t from, std::size_t to, std::vector<std::size_t>& rows) const {
    rows.assign({from, num_servers_ + to});
    for (const ChannelId c : path_) rows.push_back(2 * num_servers_ + index(c));
  }

  void occupy(std::size_t from, const Send& send, std::size_t phase) {
    if (send.destination == Send::kIdle) return;
    check(follow_flow(fabric_, tables_, port_[from], send.dlid, path_), "the schedule at hand is delivered");
    collect_rows(from, send.destination, rows_);
    for (const std::size_t row : rows_) busy_.set(row, phase);
  }

  void make_room(std::uint32_t phases) {
    if (phases <= schedule_.phases) return;
    std::vector<Send> sends(num_servers_ * phases);
    for (std::size_t s = 0; s < num_servers_; ++s)
      for (std::size_t phase = 0; phase < schedule_.phases; ++phase) sends[s * phases + phase] = schedule_.at(s, phase);
    schedule_.sends = std::move(sends);
    schedule_.phases = phases;
  }

  const Fabric& fabric_;
  const ForwardingTables& tables_;
  Schedule& schedule_;  // until finish() with more phases than are used
  std::size_t num_servers_;
  std::uint32_t phases_;  // in use
  BusyPhases busy_;       // rows: senders, receivers, channels
  std::vector<EndportId> port_;
  std::vector<std::size_t> rows_;
  std::vector<std::size_t> best_rows_;
  std::vector<ChannelId> path_;
};

}  // namespace

Status fit_flows(const Fabric& fabric, const ForwardingTables& tables, const std::vector<PendingFlow>& flows,
                 Schedule& schedule) {
  Fitter fitter(fabric, tables, schedule);
  for (const PendingFlow& flow : flows) {
    ESPALIER_TRY_STATUS(fitter.add(flow));
  }
  fitter.finish();
  return {};
}

Status fit_shifts(const Fabric& fabric, const ForwardingTables& tables, std::span<const std::uint32_t> order,
                  std::span<const std::uint32_t> component, Schedule& schedule) {
  Fitter fitter(fabric, tables, schedule);
  for (std::size_t shift = 1; shift < order.size(); ++shift)
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t from = order[i];
      const std::uint32_t to = order[(i + shift) % order.size()];
      if (component[from] != component[to]) continue;
      ESPALIER_TRY_STATUS(fitter.add({from, to, fitter.lid(to), 1}));
    }
  fitter.finish();
  return {};
}

}  // namespace espalier
