// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_search.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace espalier {
namespace {

constexpr std::uint32_t kNoPod = 0xFFFFFFFF;
constexpr std::uint32_t kNobody = 0xFFFFFFFF;
// In additions:
constexpr std::uint64_t kSourceWork = 8;  // what it costs to look at a switch or cable at all,
constexpr std::uint64_t kWalkWork = 24;   // to go all the way from a source

std::uint32_t sum_of_both(const std::uint16_t* a, const std::uint16_t* b, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<std::uint16_t>(a[i] + b[i]);
  return sum;
}

}  // namespace

SourcesBelow::SourcesBelow(const FatTree& tree, const UpDownCosts& costs, std::span<const Source> sources)
    : set_(tree.fabric().num_switches()), first_(1) {
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::uint32_t> below;
  for (const SwitchId s : tree.fabric().switches()) {
    below.clear();
    std::uint32_t hosts = 0;
    for (std::uint32_t a = 0; a < sources.size(); ++a) {
      if (costs.down_cost(s, sources[a].at) == kUnreachable) continue;
      below.push_back(a);
      hosts += sources[a].last - sources[a].first;
    }
    const auto [it, is_new] = known.try_emplace(below, static_cast<std::uint32_t>(known.size()));
    set_[s] = it->second;
    if (!is_new) continue;
    sources_.insert(sources_.end(), below.begin(), below.end());
    first_.push_back(static_cast<std::uint32_t>(sources_.size()));
    num_hosts_.push_back(hosts);
  }
}

DestinationSearch::DestinationSearch(const FatTree& tree, const UpDownCosts& costs, const Cables& cables,
                                     const SourcesBelow& below, const ShiftLoads& loads, const Pieces& pieces)
    : tree_(tree),
      costs_(costs),
      cables_(cables),
      below_(below),
      loads_(loads),
      allowed_(pieces),
      pod_of_source_(loads.sources().size()),
      runs_(loads.phases()),
      set_pieces_(below.num_sets()),
      cut_for_(below.num_sets(), kNobody),
      way_of_(tree.fabric().num_switches()) {
  // Leaves share one row: nobody asks for it except when they are the destination, from where no way is left.
  std::uint32_t rows = 1;
  for (const SwitchId s : tree.fabric().switches())
    way_of_[s] = tree.down_groups(s).empty() ? 0 : static_cast<std::uint32_t>(rows++ * loads.num_cells());
  way_.resize(rows * loads.num_cells());
}

ShiftLoads::Flows DestinationSearch::pick(std::uint32_t host, SwitchId t, std::span<const std::uint8_t> column,
                                          std::uint32_t price) {
  host_ = host;
  if (destination_ != t) prepare(t);
  runs_.set_host(host);
  const auto sources = loads_.sources();
  walk(column);
  work_ = std::max(sources.size(), walks_.size()) * kWalkWork;
  std::fill(pod_moves_.begin(), pod_moves_.end(), std::uint8_t{0});
  bool all_move = false;
  for (const Walk& walk : walks_) {
    const std::uint32_t pod = pod_of_source_[walk.source];
    if ((pod == kNoPod && !has_ways_down_) || walk.price <= price) continue;
    all_move = all_move || has_ways_down_;
    if (pod != kNoPod) pod_moves_[pod] = 1;
  }
  // What an ancestor chooses is a matter of all who come to it.
  if (all_move) std::fill(pod_moves_.begin(), pod_moves_.end(), std::uint8_t{1});

  moving_runs_.clear();
  for (const PhaseRun& run : runs_.all()) {
    const std::uint32_t pod = pod_of_source_[run.source];
    if (all_move || (pod != kNoPod && pod_moves_[pod] != 0)) moving_runs_.push_back(run);
  }
  return {t, moving_runs_};
}

// All runs hop by hop, not run by run: so the processor waits for many cells at once. A run that goes on in phase 0
// behind the last phase is one run.
void DestinationSearch::walk(std::span<const std::uint8_t> column) {
  walks_.clear();
  const auto runs = runs_.all();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool goes_on = runs[i].begin == 0 && runs_.of(runs[i].source).size() > 1 &&
                         runs_.of(runs[i].source).back().end == loads_.num_cells();
    if (!goes_on) walks_.push_back({runs[i].source, loads_.sources()[runs[i].source].at, runs[i].begin, 0});
  }
  for (bool somebody_walks = true; somebody_walks;) {
    somebody_walks = false;
    for (Walk& walk : walks_) {
      if (walk.at == destination_ || column[index(walk.at)] == kNoCable) continue;
      const CableId c = cables_.at(walk.at, column[index(walk.at)]);
      walk.price += std::uint32_t{loads_.price_at(c)[walk.cell * loads_.stride(c)]} + loads_.mean_price(c);
      walk.at = cables_.far(c);
      somebody_walks = true;
    }
  }
}

void DestinationSearch::choose(std::span<std::uint8_t> column) {
  if (moving_runs_.empty()) return;
  std::fill_n(way_.begin() + way_of_[destination_], loads_.num_cells(), std::uint16_t{0});
  moving_pieces_.clear();
  cut(moving_runs_, moving_pieces_);
  join(moving_pieces_);
  pieces_ = moving_pieces_;
  for (const Step& step : down_) choose_cable(step, column);
  for (std::size_t pod = 0; pod < pod_moves_.size(); ++pod) {
    if (pod_moves_[pod] == 0) continue;
    for (std::uint32_t i = first_of_pod_[pod]; i < first_of_pod_[pod + 1]; ++i) {
      pieces_ = pieces_below(up_[i].s);
      choose_cable(up_[i], column);
    }
  }
}

void DestinationSearch::prepare(SwitchId t) {
  destination_ = t;
  down_.clear();
  up_.clear();
  options_.clear();
  const auto ascending = tree_.ascending();
  for (const SwitchId s : ascending)
    if (s != t && costs_.down_cost(s, t) != kUnreachable) add_step(s, tree_.down_groups(s), down_);
  has_ways_down_ = std::any_of(down_.begin(), down_.end(), [](const Step& step) { return step.num_options > 1; });
  for (auto it = ascending.rbegin(); it != ascending.rend(); ++it)
    if (costs_.down_cost(*it, t) == kUnreachable && costs_.cost(*it, t) != kUnreachable &&
        below_.num_hosts(below_.set(*it)) > 0)
      add_step(*it, tree_.up_groups(*it), up_);
  find_pods();
}

void DestinationSearch::add_step(SwitchId s, std::span<const PortGroup> groups, std::vector<Step>& steps) {
  const SwitchId t = destination_;
  const bool goes_down = &steps == &down_;
  const std::uint32_t source = loads_.phases().source_of(host_);
  Step step{s, kNoPod, static_cast<std::uint32_t>(options_.size()), 0};
  std::size_t number = goes_down ? cables_.num_up(s) : 0;
  for (const PortGroup& g : groups) {
    const bool closer = costs_.leads_closer(s, g.remote, t);
    for (std::size_t i = 0; i < g.num_ports; ++i, ++number)
      if (closer && allowed_.has(s, source, number))
        options_.push_back({static_cast<std::uint8_t>(number), cables_.at(s, number), way_of_[g.remote]});
  }
  step.num_options = static_cast<std::uint32_t>(options_.size()) - step.first_option;
  steps.push_back(step);
}

// Numbers the pods and sorts up_ by them.
void DestinationSearch::find_pods() {
  IdVector<SwitchId, std::uint32_t> step_of(tree_.fabric().num_switches(), kNoPod);
  for (std::uint32_t i = 0; i < up_.size(); ++i) step_of[up_[i].s] = i;
  std::vector<std::uint32_t> other(up_.size());  // a step of the same pod, not after this one
  std::iota(other.begin(), other.end(), 0U);
  const auto first = [&](std::uint32_t i) {
    while (other[i] != i) i = other[i] = other[other[i]];
    return i;
  };
  for (std::uint32_t i = 0; i < up_.size(); ++i)
    for (std::uint32_t o = 0; o < up_[i].num_options; ++o) {
      const std::uint32_t far = step_of[cables_.far(options_[up_[i].first_option + o].cable)];
      if (far == kNoPod) continue;
      const std::uint32_t a = first(i);
      const std::uint32_t b = first(far);
      other[std::max(a, b)] = std::min(a, b);
    }
  std::uint32_t num_pods = 0;
  for (std::uint32_t i = 0; i < up_.size(); ++i) up_[i].pod = first(i) == i ? num_pods++ : up_[first(i)].pod;
  const auto sources = loads_.sources();
  for (std::size_t a = 0; a < sources.size(); ++a)
    pod_of_source_[a] = step_of[sources[a].at] == kNoPod ? kNoPod : up_[step_of[sources[a].at]].pod;
  std::stable_sort(up_.begin(), up_.end(), [](const Step& a, const Step& b) { return a.pod < b.pod; });
  first_of_pod_.assign(num_pods + 1, 0);
  for (const Step& step : up_) ++first_of_pod_[step.pod + 1];
  std::partial_sum(first_of_pod_.begin(), first_of_pod_.end(), first_of_pod_.begin());
  pod_moves_.assign(num_pods, 0);
}

// Appends the cells of the runs, in order, neighbours as one piece.
void DestinationSearch::cut(std::span<const PhaseRun> runs, std::vector<Piece>& pieces) {
  const std::size_t before = pieces.size();
  for (const PhaseRun& run : runs) {
    if (pieces.size() > before && pieces.back().end == run.begin)
      pieces.back().end = run.end;
    else
      pieces.push_back({run.begin, run.end});
  }
}

std::span<const DestinationSearch::Piece> DestinationSearch::pieces_below(SwitchId s) {
  const std::uint32_t set = below_.set(s);
  std::vector<Piece>& pieces = set_pieces_[set];
  if (cut_for_[set] == host_) return pieces;
  cut_for_[set] = host_;
  pieces.clear();
  for (const std::uint32_t source : below_.sources(set)) cut(runs_.of(source), pieces);
  join(pieces);
  return pieces;
}

// Sorted, and neighbours as one piece.
void DestinationSearch::join(std::vector<Piece>& pieces) {
  const auto by_begin = [](const Piece& a, const Piece& b) { return a.begin < b.begin; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), by_begin)) std::sort(pieces.begin(), pieces.end(), by_begin);
  std::size_t last = 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (pieces[i].begin == pieces[last].end)
      pieces[last].end = pieces[i].end;
    else
      pieces[++last] = pieces[i];
  }
  if (!pieces.empty()) pieces.resize(last + 1);
}

// The price of the present cells on a cable and the rest of the way behind it.
std::uint64_t DestinationSearch::price(const Option& option) const {
  const std::uint16_t* const cells = loads_.price_at(option.cable);
  const std::uint16_t* const rest = way_.data() + option.way;
  const std::size_t stride = loads_.stride(option.cable);
  const std::uint64_t mean = loads_.mean_price(option.cable);
  std::uint64_t sum = 0;
  for (const auto [begin, end] : pieces_) {
    sum += mean * (end - begin);
    if (stride == 1)
      sum += sum_of_both(cells + begin, rest + begin, end - begin);
    else
      for (std::size_t y = begin; y < end; ++y) sum += std::uint32_t{cells[y * stride]} + rest[y];
  }
  return sum;
}

// Those who come to s in the present cells pay for the cable and what is behind it.
void DestinationSearch::pass_on(SwitchId s, const Option& option) {
  const std::uint16_t* const cells = loads_.price_at(option.cable);
  const std::size_t stride = loads_.stride(option.cable);
  const std::uint16_t* const rest = way_.data() + option.way;
  const std::uint16_t mean = loads_.mean_price(option.cable);
  std::uint16_t* const own = way_.data() + way_of_[s];
  for (const auto [begin, end] : pieces_)
    if (stride == 1)
      for (std::size_t y = begin; y < end; ++y) own[y] = static_cast<std::uint16_t>(rest[y] + cells[y] + mean);
    else
      for (std::size_t y = begin; y < end; ++y) own[y] = static_cast<std::uint16_t>(rest[y] + cells[y * stride] + mean);
}

// An ancestor's way down is usually the only one. Else nobody knows yet who will come: as if all moving sources did.
void DestinationSearch::choose_cable(const Step& step, std::span<std::uint8_t> column) {
  const std::span options(options_.data() + step.first_option, step.num_options);
  const Option* best = options.data();
  std::uint64_t num_cells = kSourceWork;
  for (const auto [begin, end] : pieces_) num_cells += end - begin;
  if (options.size() > 1) {
    const std::uint8_t before = column[index(step.s)];
    std::uint64_t least = ~std::uint64_t{0};
    for (const Option& option : options) {
      std::uint64_t now = price(option);
      if (option.number == before) now -= now / loyalty_;
      if (now > least || (now == least && option.number != before)) continue;
      least = now;
      best = &option;
    }
    column[index(step.s)] = best->number;
    work_ += options.size() * num_cells;
  }
  if (!tree_.down_groups(step.s).empty()) pass_on(step.s, *best);
  work_ += num_cells;
}

}  // namespace espalier
