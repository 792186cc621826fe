// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/loads/flow_loads.h"

#include <algorithm>
#include <map>

namespace espalier {
namespace {

constexpr double kHeaviest = 1 << 20;  // units of the heaviest flow

double fifth_power(double x) { return x * x * x * x * x; }

}  // namespace

FlowLoads::FlowLoads(const RoutingProblem& problem, const TreeChannels& channels, std::span<const HostRun> sources,
                     std::span<const KnownFlow> flows, const Objective& objective)
    : channels_(channels), sources_(sources.begin(), sources.end()) {
  if (flows.empty() || objective.flows == 0) return;
  constexpr std::uint32_t kNoNumber = 0xFFFFFFFF;
  const std::vector<EndportId>& hosts = problem.order.hosts;
  IdVector<EndportId, std::uint32_t> number(problem.fabric.num_endports(), kNoNumber);
  for (std::uint32_t i = 0; i < hosts.size(); ++i) number[hosts[i]] = i;
  std::vector<std::uint32_t> source_of(hosts.size());
  for (std::uint32_t a = 0; a < sources_.size(); ++a)
    std::fill(source_of.begin() + sources_[a].first, source_of.begin() + sources_[a].last, a);

  double heaviest = 0;
  for (const KnownFlow& flow : flows) heaviest = std::max(heaviest, flow.weight);
  std::vector<std::map<std::uint32_t, std::uint64_t>> units(hosts.size());  // per destination, by source
  std::size_t count = 0;
  for (const KnownFlow& flow : flows) {
    const std::uint32_t from = number[flow.source], to = number[flow.destination];
    if (from == kNoNumber || to == kNoNumber || source_of[from] == source_of[to]) continue;
    std::uint64_t& sum = units[to][source_of[from]];
    if (sum == 0) ++count;
    sum += std::max<std::uint64_t>(1, static_cast<std::uint64_t>(flow.weight / heaviest * kHeaviest));
  }
  if (count == 0) return;
  senders_.reserve(count);
  first_.reserve(hosts.size() + 1);
  for (const auto& of_host : units) {
    first_.push_back(static_cast<std::uint32_t>(senders_.size()));
    for (const auto& [source, sum] : of_host) {
      senders_.push_back({source, sum});
      all_units_ += sum;
    }
  }
  first_.push_back(static_cast<std::uint32_t>(senders_.size()));
  load_ = IdVector<TreeChannelId, std::uint64_t>(channels.size(), 0);
  weight_ = IdVector<TreeChannelId, double>(channels.size(), 1.0);
}

void FlowLoads::set_weight(TreeChannelId c, std::uint32_t weight, std::uint32_t one) {
  if (!empty()) weight_[c] = static_cast<double>(weight) / one;
}

template <class Visit>
void FlowLoads::visit(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column, Visit visit) const {
  for (SwitchId s = sources_[sender.source].at; s != t && column[index(s)] != kNoHop;) {
    const TreeChannelId c = channels_.at(s, column[index(s)]);
    visit(c);
    s = channels_.remote(c);
  }
}

void FlowLoads::add(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column) {
  visit(sender, t, column, [&](TreeChannelId c) { load_[c] += sender.units; });
}

void FlowLoads::remove(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column) {
  visit(sender, t, column, [&](TreeChannelId c) { load_[c] -= sender.units; });
}

double FlowLoads::path_price(const Sender& sender, SwitchId t, std::span<const std::uint8_t> column) const {
  double sum = 0;
  visit(sender, t, column, [&](TreeChannelId c) { sum += price(c, 0); });
  return sum;
}

double FlowLoads::most() const {
  double most = 0;
  for (const TreeChannelId c : load_.ids()) most = std::max(most, static_cast<double>(load_[c]) * weight_[c]);
  return most / kHeaviest;
}

void FlowLoads::set_prices(double highest_price, double phase_flows) {
  if (empty()) return;
  most_ = std::max(most() * kHeaviest, 1.0);
  highest_price_ = highest_price;
  flows_per_unit_ = phase_flows / static_cast<double>(all_units_);
  double paid = 0;
  for (const TreeChannelId c : load_.ids()) paid += static_cast<double>(load_[c]) * price(c, 0);
  mean_path_price_ = paid / static_cast<double>(all_units_);
}

double FlowLoads::price(TreeChannelId c, std::uint64_t units) const {
  return highest_price_ * fifth_power(static_cast<double>(load_[c] + units) * weight_[c] / most_);
}

}  // namespace espalier
