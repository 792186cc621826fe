// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which phases of traffic `balanced` counts, and who sends to whom in them.
//
// A phase is a shift of one of the orders in which jobs number hosts (core/tree/order/host_order.h): the host that stands v
// places behind another sends to it. With few hosts all shifts are counted, with more of them some, spread evenly; of
// several orders each gets a share by its weight.
//
// Loads are counted phase by phase (shift_loads.h). Where hosts of a leaf follow one another in the order, they send to
// one destination in neighboring phases, one run; where jobs number hosts otherwise, a leaf has several runs.
//
// Example: 4 hosts on leaves A A B B, all shifts. To host 0, A sends in phase 1 (host 1), B in 2 and 3. Numbered in
// turns A B A B: B in phases 1 and 3, A in 2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/fabric/rules/host_part.h"
#include "core/tree/order/host_runs.h"

namespace espalier {

// Phases begin .. end-1, in which hosts of a source send.
struct PhaseRun {
  std::uint32_t source = 0;  // index into the sources
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class Phases {
 public:
  // At most `most` phases, and at most all. `parts` as in HostOrder: empty: the only order is NodeOrder::jobs.
  Phases(const Fabric& fabric, const NodeOrder& order, std::span<const HostPart> parts, std::size_t most);

  [[nodiscard]] std::size_t size() const { return size_; }
  // Whether there is no other phase.
  [[nodiscard]] bool are_all() const { return are_all_; }
  [[nodiscard]] std::size_t num_hosts() const { return source_of_.size(); }
  [[nodiscard]] std::span<const HostRun> sources() const { return sources_; }
  [[nodiscard]] std::uint32_t source_of(std::uint32_t host) const { return source_of_[host]; }
  // Phases of all orders together, whatever `most` is.
  [[nodiscard]] static std::size_t count_all(const NodeOrder& order, std::span<const HostPart> parts);

  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;
  // Who sends to this host in this phase, and to whom it sends; kNobody where its order leaves it out.
  [[nodiscard]] std::uint32_t sender(std::size_t phase, std::uint32_t host) const;
  [[nodiscard]] std::uint32_t receiver(std::size_t phase, std::uint32_t host) const;
  // visit(phase) for each in which `from` sends to `to`: one of each order that has both. REQUIRES: are_all().
  template <class Visit>
  void visit_meetings(std::uint32_t from, std::uint32_t to, Visit visit) const {
    for (const Order& order : orders_)
      if (order.place[from] != kNowhere && order.place[to] != kNowhere)
        visit(order.first_phase + (order.place[from] >= order.place[to]
                                       ? order.place[from] - order.place[to]
                                       : order.place[from] + order.host_at.size() - order.place[to]));
  }

 private:
  friend class SenderRuns;
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;
  struct Order {
    std::size_t first_phase = 0;
    std::vector<std::uint32_t> host_at;    // per place in the order
    std::vector<std::uint32_t> source_at;  // the same
    std::vector<std::uint32_t> behind;     // per place: the next one of another source, or the end
    std::vector<std::uint32_t> place;      // per host, or kNowhere
    std::vector<std::uint32_t> distance;   // per phase, ascending: how far behind the sender stands
  };
  void add_order(std::span<const EndportId> hosts, const IdVector<EndportId, std::uint32_t>& number, std::size_t most,
                 bool is_topological);
  [[nodiscard]] const Order& order_of(std::size_t phase) const;

  std::vector<HostRun> sources_;
  std::vector<std::uint32_t> source_of_;  // per host
  std::vector<Order> orders_;
  std::size_t size_ = 0;
  bool are_all_ = true;
};

// Who sends to one host in which phases. Scratch space of one thread.
class SenderRuns {
 public:
  explicit SenderRuns(const Phases& phases) : phases_(phases), next_(phases.sources().size() + 1) {}

  // From now on it is about this destination.
  void set_host(std::uint32_t host);
  // In phases begin .. end-1 someone sends to this destination: by phase, and only neighbors of one source are one run.
  [[nodiscard]] std::span<const PhaseRun> by_phase(std::uint32_t host, std::size_t begin, std::size_t end);
  // By source, then by phase; runs of one source do not touch one another.
  [[nodiscard]] std::span<const PhaseRun> all() const { return runs_; }
  [[nodiscard]] std::span<const PhaseRun> of(std::uint32_t source) const {
    return std::span(runs_).subspan(source == 0 ? 0 : next_[source - 1],
                                    next_[source] - (source == 0 ? 0 : next_[source - 1]));
  }

 private:
  const Phases& phases_;
  std::vector<PhaseRun> by_phase_;
  std::vector<PhaseRun> runs_;
  std::vector<std::uint32_t> next_;  // behind the last run of a source
};

}  // namespace espalier
