// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/best_response.h"

#include <algorithm>

#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

constexpr std::uint32_t kNoHost = 0xFFFFFFFF;

std::uint32_t sum_of_both(const std::uint16_t* a, const std::uint16_t* b, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<std::uint16_t>(a[i] + b[i]);
  return sum;
}

}  // namespace

BestResponse::BestResponse(const RoutingProblem& problem, const TreeChannels& channels, const SourcesBelow& below,
                           const ShiftLoads& loads, const Pieces& allowed)
    : channels_(channels),
      below_(below),
      loads_(loads),
      plan_(problem, channels, below, loads.sources(), allowed),
      runs_(loads.phases()),
      set_shifts_(below.num_sets()),
      set_host_(below.num_sets(), kNoHost),
      first_rest_(problem.fabric.num_switches()),
      units_of_source_(loads.sources().size()),
      rest_of_known_flows_(problem.fabric.num_switches()) {
  // Leaves share one row: nobody asks for it except when they are the destination, from where no path is left.
  std::uint32_t rows = 1;
  for (const SwitchId s : problem.fabric.switches())
    first_rest_[s] = problem.tree.down_groups(s).empty() ? 0 : static_cast<std::uint32_t>(rows++ * loads.num_shifts());
  rest_.resize(rows * loads.num_shifts());
}

ShiftLoads::Flows BestResponse::select_flows(std::uint32_t host, SwitchId t, std::span<const std::uint8_t> column,
                                             std::uint32_t price) {
  host_ = host;
  work_ = 0;
  if (plan_.destination() != t) {
    plan_.set_destination(t, loads_.phases().source_of(host));
    work_ = loads_.num_channels() * kBalanced.additions_per_plan * overhead_;
  }
  runs_.set_host(host);
  walk(column);
  work_ += std::max(loads_.sources().size(), walks_.size()) * kBalanced.additions_per_walk * overhead_;
  pod_moves_.assign(plan_.num_pods(), 0);
  bool all_move = false;
  for (const Walk& walk : walks_) {
    const std::uint32_t pod = plan_.pod_of_source(walk.source);
    if ((pod == kNoPod && !plan_.ancestors_have_a_choice()) || walk.price <= price) continue;
    all_move = all_move || plan_.ancestors_have_a_choice();
    if (pod != kNoPod) pod_moves_[pod] = 1;
  }
  all_move = select_known_flows(column, price) || all_move;
  // What an ancestor chooses concerns all who come to it.
  if (all_move) std::fill(pod_moves_.begin(), pod_moves_.end(), std::uint8_t{1});

  moving_runs_.clear();
  for (const PhaseRun& run : runs_.all()) {
    const std::uint32_t pod = plan_.pod_of_source(run.source);
    if (all_move || (pod != kNoPod && pod_moves_[pod] != 0)) moving_runs_.push_back(run);
  }
  moving_known_.clear();
  for (const FlowLoads::Sender& sender : loads_.known_flows().to(host)) {
    const std::uint32_t pod = plan_.pod_of_source(sender.source);
    if (all_move || (pod != kNoPod && pod_moves_[pod] != 0)) moving_known_.push_back(sender);
  }
  return {t, moving_runs_, moving_known_};
}

// Marks the pods in which the path of a known flow costs more than `price`, in shares of a mean path's. True: all move.
bool BestResponse::select_known_flows(std::span<const std::uint8_t> column, std::uint32_t price) {
  const FlowLoads& known = loads_.known_flows();
  const double limit = known.mean_path_price() * price / std::max<std::uint32_t>(1, loads_.mean_path_price());
  bool all_move = false;
  for (const FlowLoads::Sender& sender : known.to(host_)) {
    const std::uint32_t pod = plan_.pod_of_source(sender.source);
    if ((pod == kNoPod && !plan_.ancestors_have_a_choice()) ||
        known.path_price(sender, plan_.destination(), column) <= limit)
      continue;
    all_move = all_move || plan_.ancestors_have_a_choice();
    if (pod != kNoPod) pod_moves_[pod] = 1;
  }
  return all_move;
}

// All runs hop by hop, not run by run: so the processor waits for many loads at once. A run that goes on in phase 0
// behind the last phase is one run.
void BestResponse::walk(std::span<const std::uint8_t> column) {
  walks_.clear();
  const auto runs = runs_.all();
  for (const PhaseRun& run : runs) {
    const auto of_source = runs_.of(run.source);
    const bool goes_on = run.begin == 0 && of_source.size() > 1 && of_source.back().end == loads_.num_shifts();
    if (!goes_on) walks_.push_back({run.source, loads_.sources()[run.source].at, run.begin, 0});
  }
  for (bool somebody_walks = true; somebody_walks;) {
    somebody_walks = false;
    for (Walk& walk : walks_) {
      if (walk.at == plan_.destination() || column[index(walk.at)] == kNoHop) continue;
      const TreeChannelId c = channels_.at(walk.at, column[index(walk.at)]);
      walk.price += std::uint32_t{loads_.price_at(c)[walk.shift * loads_.stride(c)]} + loads_.mean_load_price(c);
      walk.at = channels_.remote(c);
      somebody_walks = true;
    }
  }
}

void BestResponse::choose(std::span<std::uint8_t> column) {
  if (moving_runs_.empty() && moving_known_.empty()) return;
  units_ = 0;
  for (const FlowLoads::Sender& sender : moving_known_) units_ += units_of_source_[sender.source] = sender.units;
  rest_of_known_flows_[plan_.destination()] = 0;
  std::fill_n(rest_.begin() + first_rest_[plan_.destination()], loads_.num_shifts(), std::uint16_t{0});
  // Nobody knows yet who will come to an ancestor: it chooses as if all moving sources did. It mostly has no choice.
  moving_shifts_.clear();
  append(moving_runs_, moving_shifts_);
  join(moving_shifts_);
  shifts_ = moving_shifts_;
  for (const Decision& decision : plan_.ancestors()) choose_channel(decision, column);
  for (std::size_t pod = 0; pod < pod_moves_.size(); ++pod) {
    if (pod_moves_[pod] == 0) continue;
    for (const Decision& decision : plan_.pod(pod)) {
      shifts_ = shifts_below(decision.at);
      units_ = known_units_below(decision.at);
      choose_channel(decision, column);
    }
  }
  for (const FlowLoads::Sender& sender : moving_known_) units_of_source_[sender.source] = 0;
}

// Of flows that move.
std::uint64_t BestResponse::known_units_below(SwitchId s) const {
  std::uint64_t units = 0;
  if (!moving_known_.empty())
    for (const std::uint32_t source : below_.sources(below_.set(s))) units += units_of_source_[source];
  return units;
}

// The shifts of the runs, in order, neighbors as one.
void BestResponse::append(std::span<const PhaseRun> runs, std::vector<Shifts>& shifts) {
  const std::size_t before = shifts.size();
  for (const PhaseRun& run : runs) {
    if (shifts.size() > before && shifts.back().end == run.begin)
      shifts.back().end = run.end;
    else
      shifts.push_back({run.begin, run.end});
  }
}

// Those in which sources below s send to the host.
std::span<const BestResponse::Shifts> BestResponse::shifts_below(SwitchId s) {
  const std::uint32_t set = below_.set(s);
  std::vector<Shifts>& shifts = set_shifts_[set];
  if (set_host_[set] == host_) return shifts;
  set_host_[set] = host_;
  shifts.clear();
  for (const std::uint32_t source : below_.sources(set)) append(runs_.of(source), shifts);
  join(shifts);
  return shifts;
}

// Sorted, and neighbors as one.
void BestResponse::join(std::vector<Shifts>& shifts) {
  const auto by_begin = [](const Shifts& a, const Shifts& b) { return a.begin < b.begin; };
  if (!std::is_sorted(shifts.begin(), shifts.end(), by_begin)) std::sort(shifts.begin(), shifts.end(), by_begin);
  std::size_t last = 0;
  for (std::size_t i = 1; i < shifts.size(); ++i) {
    if (shifts[i].begin == shifts[last].end)
      shifts[last].end = shifts[i].end;
    else
      shifts[++last] = shifts[i];
  }
  if (!shifts.empty()) shifts.resize(last + 1);
}

// Of the channel and the rest of the path behind it, under the present shifts.
std::uint64_t BestResponse::price(const Candidate& candidate) const {
  const std::uint16_t* const own = loads_.price_at(candidate.channel);
  const std::uint16_t* const rest = rest_.data() + first_rest_[candidate.remote];
  const std::size_t stride = loads_.stride(candidate.channel);
  const std::uint64_t mean = loads_.mean_load_price(candidate.channel);
  std::uint64_t sum = 0;
  for (const auto [begin, end] : shifts_) {
    sum += mean * (end - begin);
    if (stride == 1)
      sum += sum_of_both(own + begin, rest + begin, end - begin);
    else
      for (std::size_t y = begin; y < end; ++y) sum += std::uint32_t{own[y * stride]} + rest[y];
  }
  if (units_ > 0)
    sum += static_cast<std::uint64_t>(static_cast<double>(units_) * loads_.known_flows().flows_per_unit() *
                                      price_of_known_flows(candidate));
  return sum;
}

// Of one unit.
double BestResponse::price_of_known_flows(const Candidate& candidate) const {
  return loads_.known_flows().price(candidate.channel, units_) + rest_of_known_flows_[candidate.remote];
}

// Those who come to s under the present shifts pay for the channel and what is behind it.
void BestResponse::set_rest(SwitchId s, const Candidate& candidate) {
  const std::uint16_t* const own = loads_.price_at(candidate.channel);
  const std::size_t stride = loads_.stride(candidate.channel);
  const std::uint16_t* const rest = rest_.data() + first_rest_[candidate.remote];
  const std::uint16_t mean = loads_.mean_load_price(candidate.channel);
  std::uint16_t* const to = rest_.data() + first_rest_[s];
  for (const auto [begin, end] : shifts_)
    if (stride == 1)
      for (std::size_t y = begin; y < end; ++y) to[y] = static_cast<std::uint16_t>(rest[y] + own[y] + mean);
    else
      for (std::size_t y = begin; y < end; ++y) to[y] = static_cast<std::uint16_t>(rest[y] + own[y * stride] + mean);
}

void BestResponse::choose_channel(const Decision& decision, std::span<std::uint8_t> column) {
  const auto candidates = plan_.candidates(decision);
  const Candidate* best = candidates.data();
  std::uint64_t num_shifts = (kBalanced.additions_per_visit + shifts_.size() * kBalanced.additions_per_run) * overhead_;
  for (const auto [begin, end] : shifts_) num_shifts += end - begin;
  if (candidates.size() > 1) {
    const std::uint8_t before = column[index(decision.at)];
    std::uint64_t least = ~std::uint64_t{0};
    for (const Candidate& candidate : candidates) {
      std::uint64_t now = price(candidate);
      if (candidate.number == before) now -= now / hysteresis_;
      if (now > least || (now == least && candidate.number != before)) continue;
      least = now;
      best = &candidate;
    }
    column[index(decision.at)] = best->number;
    work_ += candidates.size() * num_shifts;
  }
  if (first_rest_[decision.at] != 0) set_rest(decision.at, *best);
  if (units_ > 0) rest_of_known_flows_[decision.at] = price_of_known_flows(*best);
  work_ += num_shifts;
}

}  // namespace espalier
