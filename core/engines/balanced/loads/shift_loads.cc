// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/shift_loads.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/parallel.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

constexpr std::size_t kShiftBlocks = 8;    // of shifts, for threads
constexpr std::size_t kShiftsAtOnce = 64;  // shifts of a block

}  // namespace

ShiftLoads::ShiftLoads(const RoutingProblem& problem, const TreeChannels& channels, const Phases& phases,
                       Hops longest_path, const Objective& objective, std::span<const KnownFlow> known)
    : channels_(channels),
      phases_(phases),
      objective_(objective),
      price_(phases.size(), longest_path, objective),
      known_(problem, channels, phases.sources(), known, objective),
      weight_(problem.tree, channels),
      lift_(channels.size(), 0),
      place_(channels.size()),
      loads_(channels.size() * phases.size()),
      prices_(loads_.size()),
      sum_(channels.size()),
      leads_down_(channels.size()) {
  const FatTree& tree = problem.tree;
  for (const SwitchId s : problem.fabric.switches()) {
    const bool is_bottom = tree.down_groups(s).empty();
    place(channels.first(s), channels.num_up(s), is_bottom ? Layout::kInterleaved : Layout::kRows);
    for (const PortGroup& g : tree.down_groups(s)) {
      const TreeChannelId first = channels.at(s, channels.number(s, tree.ports(g)[0]));
      place(first, g.num_ports, Layout::kRows);
      std::fill_n(leads_down_.begin() + index(first), g.num_ports, std::uint8_t{1});
    }
  }
  set_lifts();
}

void ShiftLoads::set_lifts() {
  if (weight_.unit == 1) return;
  for (const TreeChannelId c : lift_.ids()) {
    lift_[c] =
        static_cast<std::uint16_t>(weight_.of[c] - (std::min<std::uint32_t>(weight_.of[c], weight_.unit) + 1) / 2);
    known_.set_weight(c, weight_.of[c], weight_.unit);
  }
}

void ShiftLoads::place(TreeChannelId first, std::size_t count, Layout layout) {
  const bool interleaved = layout == Layout::kInterleaved;
  const auto width = static_cast<std::uint16_t>(interleaved ? count : 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto base = static_cast<std::uint32_t>((index(first) + (interleaved ? 0 : i)) * num_shifts());
    place_[id_at<TreeChannelId>(index(first) + i)] = {base + (interleaved ? static_cast<std::uint32_t>(i) : 0), width,
                                                      0};
    if (!interleaved || i == 0) rows_.push_back({base, width, static_cast<std::uint32_t>(index(first) + i)});
  }
}

std::size_t ShiftLoads::mean_steps(std::size_t sum) const {
  return (sum * kBalanced.mean_steps / weight_.unit + num_shifts() / 2) / num_shifts();
}

std::uint16_t ShiftLoads::price_of_mean(TreeChannelId c) const {
  const std::size_t sum = sum_[c];
  return price_.of_mean(
      mean_steps(leads_down_[c] != 0 ? sum * kBalanced.down_share_numerator / kBalanced.down_share_denominator : sum));
}

// visit(channel, first shift, behind the last) for all channels that the flows use.
template <class Visit>
void ShiftLoads::visit_loads(const Flows& flows, std::span<const std::uint8_t> column, Visit visit) const {
  for (std::size_t first = 0, last = 0; first < flows.runs.size(); first = last) {
    while (last < flows.runs.size() && flows.runs[last].source == flows.runs[first].source) ++last;
    for (SwitchId s = sources()[flows.runs[first].source].at; s != flows.destination && column[index(s)] != kNoHop;) {
      const TreeChannelId c = channels_.at(s, column[index(s)]);
      for (std::size_t i = first; i < last; ++i) visit(c, flows.runs[i].begin, flows.runs[i].end);
      s = channels_.remote(c);
    }
  }
}

void ShiftLoads::count_all(const HostColumns& columns) {
  // Whoever owns a block of shifts is the only one to touch it.
  parallel_for(kShiftBlocks, [&](std::size_t b) {
    SenderRuns runs(phases_);
    for (const HostRun& to : sources())
      for (std::uint32_t d = to.first; d < to.last; ++d) {
        const auto flows = runs.by_phase(d, b * num_shifts() / kShiftBlocks, (b + 1) * num_shifts() / kShiftBlocks);
        visit_loads({to.at, flows}, columns.column(d), [&](TreeChannelId c, std::size_t begin, std::size_t end) {
          const auto [base, stride, mean] = place_[c];
          for (std::size_t y = begin; y < end; ++y) {
            std::uint16_t& load = loads_[base + y * stride];
            load = static_cast<std::uint16_t>(load + weight_.of[c]);
          }
        });
      }
  });
  parallel_for(sum_.size(), [&](std::size_t i) {
    const auto [base, stride, mean] = place_[id_at<TreeChannelId>(i)];
    std::uint32_t sum = 0;
    for (std::size_t y = 0; y < num_shifts(); ++y) sum += loads_[base + y * stride];
    sum_[id_at<TreeChannelId>(i)] = sum;
  });
  if (known_.empty()) return;
  for (const HostRun& to : sources())
    for (std::uint32_t d = to.first; d < to.last; ++d)
      for (const FlowLoads::Sender& sender : known_.to(d)) known_.add(sender, to.at, columns.column(d));
}

template <int kChange>
void ShiftLoads::count(const Flows& flows, std::span<const std::uint8_t> column) {
  visit_loads(flows, column, [&](TreeChannelId c, std::size_t begin, std::size_t end) {
    const auto [base, stride, mean] = place_[c];
    const std::size_t lift = lift_[c];
    for (std::size_t y = begin; y < end; ++y) {
      std::uint16_t& load = loads_[base + y * stride];
      load = static_cast<std::uint16_t>(load + kChange * weight_.of[c]);
      prices_[base + y * stride] = price_.under_shift(load + lift, y);
    }
    const auto units = static_cast<std::uint32_t>((end - begin) * weight_.of[c]);
    sum_[c] = kChange > 0 ? sum_[c] + units : sum_[c] - units;
    place_[c].mean_load_price = price_of_mean(c);
  });
  for (const FlowLoads::Sender& sender : flows.known) {
    if constexpr (kChange > 0)
      known_.add(sender, flows.destination, column);
    else
      known_.remove(sender, flows.destination, column);
  }
}

template void ShiftLoads::count<1>(const Flows&, std::span<const std::uint8_t>);
template void ShiftLoads::count<-1>(const Flows&, std::span<const std::uint8_t>);

// The most flows on a channel, per shift.
std::vector<std::uint16_t> ShiftLoads::most_of_shifts() const {
  std::vector<std::uint16_t> most(num_shifts());
  parallel_blocks(num_shifts(), kShiftsAtOnce, [&](std::size_t begin, std::size_t end) {
    for (const auto [base, width, first] : rows_)
      if (width == 1)
        for (std::size_t y = begin; y < end; ++y) most[y] = std::max(most[y], loads_[base + y]);
      else
        for (std::size_t y = begin; y < end; ++y) {
          const std::uint16_t* const loads = loads_.data() + base + y * width;
          std::uint16_t most_of_leaf = 0;
          for (std::size_t i = 0; i < width; ++i) most_of_leaf = std::max(most_of_leaf, loads[i]);
          most[y] = std::max(most[y], most_of_leaf);
        }
  });
  return most;
}

void ShiftLoads::set_prices(const LoadSummary& now, const PriceRule& rule) {
  price_.set(most_of_shifts(), mean_steps(*std::max_element(sum_.begin(), sum_.end())), now.random, rule);
  std::uint64_t paid = parallel_reduce(
      num_shifts(), kShiftsAtOnce, std::uint64_t{0},
      [&](std::size_t begin, std::size_t end, std::uint64_t sum) {
        for (const auto [base, width, first] : rows_)
          for (std::size_t y = begin; y < end; ++y)
            for (std::size_t i = 0; i < width; ++i) {
              const std::size_t at = base + y * width + i;
              prices_[at] = price_.under_shift(loads_[at] + lift_[id_at<TreeChannelId>(first + i)], y);
              sum += std::uint32_t{loads_[at]} * prices_[at];
            }
        return sum;
      },
      std::plus<>());
  for (const TreeChannelId c : sum_.ids()) {
    place_[c].mean_load_price = price_of_mean(c);
    paid += std::uint64_t{sum_[c]} * place_[c].mean_load_price;
  }
  const auto flows = static_cast<double>(phases_.num_hosts() * num_shifts());
  mean_path_price_ = static_cast<std::uint32_t>(static_cast<double>(paid) / (flows * weight_.unit));
  known_.set_prices(price_.highest(), flows * objective_.flows / std::max(objective_.shifts, objective_.random));
}

LoadSummary ShiftLoads::summary() const {
  std::vector<std::uint32_t> channels(1);  // per step of the mean
  for (const std::uint32_t sum : sum_) {
    const std::size_t step = mean_steps(sum);
    if (step >= channels.size()) channels.resize(step + 1);
    ++channels[step];
  }
  const std::vector<std::uint16_t> most = most_of_shifts();
  const double total = std::accumulate(most.begin(), most.end(), 0.0);
  LoadSummary summary;
  summary.units_per_flow = weight_.unit;
  summary.weights = {objective_.shifts, objective_.random, objective_.flows};
  if (objective_.shifts > 0) {
    summary.worst_shift = *std::max_element(most.begin(), most.end());
    summary.mean_shift = total / static_cast<double>(num_shifts());
  }
  if (objective_.random > 0) summary.random = likely_maximum(channels, static_cast<double>(kBalanced.mean_steps));
  if (!known_.empty()) summary.known_flows = known_.most();
  return summary;
}

}  // namespace espalier
