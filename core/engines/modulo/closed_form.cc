// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/closed_form.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <tuple>

#include "core/base/parallel.h"
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

// Fills rows one after another. Each starts as the one before, if it may, and only what differs is chosen anew.
class RowFiller {
 public:
  RowFiller(const RoutingProblem& problem, const LidTargets& targets, const DownBlocks& down)
      : tree_(problem.tree),
        targets_(targets),
        candidates_(tree_, problem.costs, down),
        last_candidates_(tree_, problem.costs, down) {}

  void fill(SwitchId s, const UpPorts& up, std::span<PortNum> row) {
    candidates_.find(s);
    divider_ = FastDivider(up.shape.divider);
    if (last_row_.data() != nullptr && up == *last_up_) {
      std::memcpy(row.data(), last_row_.data(), row.size());
      candidates_.for_each_other(last_candidates_, [&](SwitchId t) { choose(t, row); });
    } else {
      start(up, row);
      for (const SwitchId t : tree_.fabric().switches())
        if (candidates_.kind(t) != Candidates::Kind::kAllUp) choose(t, row);
    }
    last_up_ = &up;
    last_row_ = row;
    candidates_.swap(last_candidates_);
  }

 private:
  // The row of a switch that sends everything up.
  void start(const UpPorts& up, std::span<PortNum> row) {
    if (up.shape.num_groups == 0) {
      std::ranges::fill(row, kNoPort);
      pattern_.reset();
      return;
    }
    if (!pattern_ || last_up_->shape != up.shape)
      pattern_ = modulo_pattern(up.shape, tree_.fabric().num_switches(), targets_, row.size());
    ports_.fill(kNoPort);
    std::copy(up.ports.begin(), up.ports.end(), ports_.begin());
    pattern_->map(ports_.data(), row);
  }

  // All entries for the LIDs at t.
  void choose(SwitchId t, std::span<PortNum> row) {
    const Candidates::Kind kind = candidates_.kind(t);
    const bool among_groups = kind == Candidates::Kind::kSomeGroups;
    if (among_groups) select_closer(t);
    for (const LidTarget& target : targets_.at(t)) {
      const auto first = row.begin() + static_cast<std::ptrdiff_t>(index(target.base));
      const std::size_t offsets = lids_of(target).size();
      if (among_groups) {
        spread_by_modulo(tree_, std::span(selected_).first(num_selected_), target, divider_, count_, &*first);
      } else if (kind == Candidates::Kind::kAllUp) {
        for (std::size_t k = 0; k < offsets; ++k) first[k] = ports_[pattern_->place(index(target.base) + k)];
      } else {
        std::fill_n(first, offsets,
                    kind == Candidates::Kind::kOnePort  ? candidates_.port(t)
                    : kind == Candidates::Kind::kItself ? target.last_port
                                                        : kNoPort);
      }
    }
  }

  void select_closer(SwitchId t) {
    num_selected_ = 0;
    candidates_.for_each_group(t, [&](const PortGroup& group) { selected_[num_selected_++] = &group; });
    if (count_.divisor() != num_selected_) count_ = FastDivider(static_cast<std::uint32_t>(num_selected_));
  }

  const FatTree& tree_;
  const LidTargets& targets_;
  Candidates candidates_;
  Candidates last_candidates_;
  FastDivider divider_{1};
  std::optional<PatternRow> pattern_;  // of the switch in hand
  std::array<PortNum, 256> ports_{};   // by place in the pattern
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
  // Switches whose rows have much in common follow one another.
  const auto key = [&](SwitchId s) { return std::tie(ups[s].shape, ups[s].ports); };
  std::stable_sort(order.begin(), order.end(), [&](SwitchId a, SwitchId b) { return key(a) < key(b); });
  const DownBlocks down(problem.costs, num_switches);
  ForwardingTables tables = ForwardingTables::unwritten(num_switches, problem.fabric.top_lid());
  parallel_blocks(num_switches, kLeastRows, [&](std::size_t first, std::size_t last) {
    RowFiller filler(problem, targets, down);
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
