// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/closed_form.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <tuple>

#include "core/base/parallel.h"
#include "core/base/sort_unique.h"
#include "core/engines/modulo/candidates.h"
#include "core/engines/modulo/fast_divide.h"
#include "core/engines/modulo/pattern_row.h"
#include "core/tree/order/host_runs.h"

namespace espalier {
namespace {

constexpr std::size_t kLeastRows = 64;  // of one task: the first of them takes longer

// The up-groups of a switch as a pattern sees them.
struct UpPorts {
  PatternShape shape;
  std::vector<PortNum> ports;  // group by group; empty without a pattern
  bool operator==(const UpPorts&) const = default;
};

UpPorts up_ports(const FatTree& tree, SwitchId s, std::uint32_t divider) {
  UpPorts result{{divider, 0, 1}, {}};
  const auto ups = tree.up_groups(s);
  if (ups.empty()) return result;
  for (const PortGroup& up : ups) {
    if (up.num_ports != ups[0].num_ports) return {{divider, 0, 1}, {}};
    result.ports.insert(result.ports.end(), tree.ports(up).begin(), tree.ports(up).end());
  }
  result.shape.num_groups = static_cast<std::uint32_t>(ups.size());
  result.shape.group_size = ups[0].num_ports;
  return result;
}

// LIDs in a row that are delivered at one switch.
struct LidRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// What all rows share.
class Shared {
 public:
  Shared(const RoutingProblem& p, const LidTargets& t, const IdVector<SwitchId, UpPorts>& ups)
      : problem(p), targets(t), down(p.costs, p.fabric.num_switches()) {
    for (const SwitchId s : p.fabric.switches()) {
      first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));
      for (const LidTarget& target : targets.at(s)) {
        const auto lid = static_cast<std::uint32_t>(index(target.base));
        if (runs_.size() == first_run_[s] || runs_.back().first + runs_.back().count != lid) runs_.push_back({lid, 0});
        runs_.back().count += 1U << target.lmc;
      }
    }
    first_run_.push_back(static_cast<std::uint32_t>(runs_.size()));
    for (const UpPorts& up : ups) shapes_.push_back(up.shape);
    sort_unique(shapes_);
    patterns_.resize(shapes_.size());
    parallel_for(shapes_.size(), [&](std::size_t i) {
      if (shapes_[i].num_groups != 0)
        patterns_[i] = modulo_pattern(shapes_[i], p.fabric.num_switches(), targets, index(p.fabric.top_lid()) + 1);
    });
  }

  // Of the LIDs at t.
  [[nodiscard]] std::span<const LidRun> runs(SwitchId t) const {
    return {runs_.data() + first_run_[t], runs_.data() + first_run_[id_at<SwitchId>(index(t) + 1)]};
  }
  // Null: it has none.
  [[nodiscard]] const PatternRow* pattern(const PatternShape& shape) const {
    const auto& pattern = patterns_[std::ranges::lower_bound(shapes_, shape) - shapes_.begin()];
    return pattern ? &*pattern : nullptr;
  }

  const RoutingProblem& problem;
  const LidTargets& targets;
  DownBlocks down;

 private:
  std::vector<LidRun> runs_;
  IdVector<SwitchId, std::uint32_t> first_run_;
  std::vector<PatternShape> shapes_;  // ascending
  std::vector<std::optional<PatternRow>> patterns_;
};

// Fills rows one after another. Each starts as the one before, if it may, and only what differs is chosen anew.
class RowFiller {
 public:
  explicit RowFiller(const Shared& shared)
      : tree_(shared.problem.tree), shared_(shared), candidates_(tree_, shared.problem.costs, shared.down) {}

  void fill(SwitchId s, const UpPorts& up, std::span<PortNum> row) {
    candidates_.find(s);
    divider_ = FastDivider(up.shape.divider);
    if (last_row_.data() != nullptr && up == *last_up_) {
      std::memcpy(row.data(), last_row_.data(), row.size());
      candidates_.for_each_other([&](SwitchId t) { choose(t, row); });
    } else {
      start(up, row);
      for (const SwitchId t : tree_.fabric().switches())
        if (candidates_.kind(t) != Candidates::Kind::kAllUp) choose(t, row);
    }
    last_up_ = &up;
    last_row_ = row;
  }

 private:
  // The row of a switch that sends everything up.
  void start(const UpPorts& up, std::span<PortNum> row) {
    pattern_ = shared_.pattern(up.shape);
    if (pattern_ == nullptr) {
      std::ranges::fill(row, kNoPort);
      return;
    }
    ports_.fill(kNoPort);
    std::copy(up.ports.begin(), up.ports.end(), ports_.begin());
    pattern_->map(ports_.data(), row);
  }

  // All entries for the LIDs at t.
  void choose(SwitchId t, std::span<PortNum> row) {
    switch (candidates_.kind(t)) {
      case Candidates::Kind::kNone:
        return fill_all(t, kNoPort, row);
      case Candidates::Kind::kItself:
        for (const LidTarget& target : shared_.targets.at(t))
          std::fill_n(&row[index(target.base)], lids_of(target).size(), target.last_port);
        return;
      case Candidates::Kind::kAllUp:
        for (const LidRun run : shared_.runs(t))
          for (std::size_t lid = run.first; lid < run.first + run.count; ++lid) row[lid] = ports_[pattern_->place(lid)];
        return;
      case Candidates::Kind::kOnePort:
        return fill_all(t, candidates_.port(t), row);
      case Candidates::Kind::kSomeGroups:
        select_closer(t);
        for (const LidTarget& target : shared_.targets.at(t))
          spread_by_modulo(tree_, std::span(selected_).first(num_selected_), target, divider_, count_,
                           &row[index(target.base)]);
        return;
    }
  }

  void fill_all(SwitchId t, PortNum port, std::span<PortNum> row) const {
    for (const LidRun run : shared_.runs(t)) std::fill_n(row.data() + run.first, run.count, port);
  }

  void select_closer(SwitchId t) {
    num_selected_ = 0;
    candidates_.for_each_group(t, [&](const PortGroup& group) { selected_[num_selected_++] = &group; });
    if (count_.divisor() != num_selected_) count_ = FastDivider(static_cast<std::uint32_t>(num_selected_));
  }

  const FatTree& tree_;
  const Shared& shared_;
  Candidates candidates_;
  FastDivider divider_{1};
  const PatternRow* pattern_ = nullptr;  // of the switch in hand
  std::array<PortNum, 256> ports_{};     // by place in the pattern
  const UpPorts* last_up_ = nullptr;
  std::span<const PortNum> last_row_;
  std::array<const PortGroup*, 256> selected_{};  // C(s,t); a switch has at most 254 groups
  std::size_t num_selected_ = 0;
  FastDivider count_{1};  // by #C(s,t)
};

}  // namespace

ForwardingTables closed_form_by(const RoutingProblem& problem, const LidTargets& targets) {
  const std::size_t num_switches = problem.fabric.num_switches();
  IdVector<SwitchId, UpPorts> ups;
  std::vector<SwitchId> order;
  for (const SwitchId s : problem.fabric.switches()) {
    ups.push_back(up_ports(problem.tree, s, problem.divider[s]));
    order.push_back(s);
  }
  // Switches whose rows have much in common follow one another, siblings most of all.
  const auto nearest = [](std::span<const PortGroup> groups) { return groups.empty() ? kNoSwitch : groups[0].remote; };
  const auto key = [&](SwitchId s) {
    return std::tuple(std::tie(ups[s].shape, ups[s].ports), nearest(problem.tree.up_groups(s)),
                      nearest(problem.tree.down_groups(s)));
  };
  std::stable_sort(order.begin(), order.end(), [&](SwitchId a, SwitchId b) { return key(a) < key(b); });
  const Shared shared(problem, targets, ups);
  ForwardingTables tables = ForwardingTables::unwritten(num_switches, problem.fabric.top_lid());
  parallel_blocks(num_switches, kLeastRows, [&](std::size_t first, std::size_t last) {
    RowFiller filler(shared);
    for (std::size_t i = first; i < last; ++i) filler.fill(order[i], ups[order[i]], tables.row(order[i]));
  });
  return tables;
}

ForwardingTables closed_form(const RoutingProblem& problem) { return closed_form_by(problem, problem.targets); }

ForwardingTables padded_closed_form(const RoutingProblem& problem) {
  NodeOrder padded = problem.order;
  std::size_t most = 0;
  for (const SwitchId s : problem.fabric.switches()) most = std::max(most, problem.tree.hosts(s).size());
  const std::vector<HostRun> runs = host_runs(problem.fabric, problem.order);
  for (std::size_t leaf = 0; leaf < runs.size(); ++leaf)
    for (std::size_t i = runs[leaf].first; i < runs[leaf].last; ++i)
      padded.of_endport[padded.hosts[i]] = static_cast<std::uint32_t>(leaf * most + i - runs[leaf].first);
  return closed_form_by(problem, LidTargets(problem.tree, padded));
}

}  // namespace espalier
