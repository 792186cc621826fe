// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/modulo/closed_form.h"

#include <algorithm>
#include <array>

#include "core/base/fast_divide.h"
#include "core/base/parallel.h"

namespace espalier {
namespace {

// Fills the rows of single switches; owns the scratch space that one row needs.
class RowFiller {
 public:
  RowFiller(const RoutingProblem& problem, const LidTargets& targets)
      : tree_(problem.tree), costs_(problem.costs), targets_(targets), divider_(problem.divider) {}

  void fill(SwitchId s, std::span<PortNum> row) {
    mark_closer(s);
    const FastDivider divider(divider_[s]);
    const auto cost = costs_.cost_row(s);
    const auto down = costs_.down_row(s);
    for (const SwitchId t : tree_.fabric().switches()) {
      if (t == s) {
        deliver(t, row);
      } else if (cost[index(t)] != kUnreachable) {
        select_closer(t, down[index(t)] != kUnreachable ? tree_.down_groups(s) : tree_.up_groups(s));
        for (const LidTarget& target : targets_.at(t)) spread(target, divider, row);
      }
    }
  }

 private:
  // Bit g % 8 of closer_[g / 8][t]: the g-th group (of the direction that s takes toward t) leads closer to t.
  void mark_closer(SwitchId s) {
    const std::size_t stride = costs_.stride();
    const std::size_t most = std::max(tree_.up_groups(s).size(), tree_.down_groups(s).size());
    closer_.assign((most + 7) / 8 * stride, 0);
    const Hops* const cost = costs_.cost_row(s).data();
    const Hops* const down = costs_.down_row(s).data();
    for (std::size_t g = 0; g < tree_.up_groups(s).size(); ++g) {
      const Hops* const far = costs_.cost_row(tree_.up_groups(s)[g].remote).data();
      std::uint8_t* const bits = closer_.data() + g / 8 * stride;
      for (std::size_t t = 0; t < stride; ++t)
        bits[t] = static_cast<std::uint8_t>(bits[t] | (((far[t] < cost[t]) & (down[t] == kUnreachable)) << (g % 8)));
    }
    for (std::size_t g = 0; g < tree_.down_groups(s).size(); ++g) {
      const Hops* const far = costs_.down_row(tree_.down_groups(s)[g].remote).data();
      std::uint8_t* const bits = closer_.data() + g / 8 * stride;
      for (std::size_t t = 0; t < stride; ++t)
        bits[t] = static_cast<std::uint8_t>(bits[t] | ((far[t] < down[t]) << (g % 8)));
    }
  }

  void select_closer(SwitchId t, std::span<const PortGroup> groups) {
    num_selected_ = 0;
    for (std::size_t byte = 0; byte * 8 < groups.size(); ++byte)
      for (unsigned bits = closer_[byte * costs_.stride() + index(t)]; bits != 0; bits &= bits - 1)
        selected_[num_selected_++] = &groups[byte * 8 + static_cast<std::size_t>(__builtin_ctz(bits))];
  }

  // (4.7) and (4.8) for all offsets of one LID range.
  void spread(const LidTarget& target, const FastDivider& divider, std::span<PortNum> row) {
    const std::size_t base = index(target.base);
    const std::size_t offsets = std::size_t{1} << target.lmc;
    if (num_selected_ == 1 && selected_[0]->num_ports == 1) {
      const PortNum only = tree_.ports(*selected_[0])[0];
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(base), offsets, only);
      return;
    }
    if (count_.divisor() != num_selected_) count_ = FastDivider(static_cast<std::uint32_t>(num_selected_));
    const std::uint32_t quotient = divider.quotient(target.id);
    for (std::size_t k = 0; k < offsets; ++k) {
      const std::uint32_t turn = k == 0 ? 0 : divider.quotient(static_cast<std::uint32_t>(k));
      const PortGroup& group = *selected_[count_.remainder(quotient + turn)];
      const auto ports = tree_.ports(group);
      row[base + k] =
          ports.size() == 1 ? ports[0] : ports[(count_.quotient(quotient) + count_.quotient(turn)) % ports.size()];
    }
  }

  void deliver(SwitchId t, std::span<PortNum> row) {
    for (const LidTarget& target : targets_.at(t))
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(index(target.base)), std::size_t{1} << target.lmc,
                  target.last_port);
  }

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const LidTargets& targets_;
  const IdVector<SwitchId, std::uint32_t>& divider_;
  std::vector<std::uint8_t> closer_;
  std::array<const PortGroup*, 256> selected_{};  // C(s,t); a switch has at most 254 groups
  std::size_t num_selected_ = 0;
  FastDivider count_{1};  // by #C(s,t)
};

}  // namespace

ForwardingTables closed_form_by(const RoutingProblem& problem, const LidTargets& targets) {
  ForwardingTables tables(problem.fabric.num_switches(), problem.fabric.top_lid());
  parallel_blocks(problem.fabric.num_switches(), 8, [&](std::size_t first, std::size_t last) {
    RowFiller filler(problem, targets);
    for (std::size_t s = first; s < last; ++s) filler.fill(id_at<SwitchId>(s), tables.row(id_at<SwitchId>(s)));
  });
  return tables;
}

ForwardingTables closed_form(const RoutingProblem& problem) { return closed_form_by(problem, problem.targets); }

}  // namespace espalier
