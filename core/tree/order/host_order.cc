// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/fabric/rules/host_name.h"
#include "core/tree/costs.h"
#include "core/tree/order/node_order.h"

namespace espalier {
namespace {

// Where names say nothing about a host: the named neighbor that it follows, or precedes.
struct Anchor {
  EndportId host = kNoEndport;
  bool before = false;
};

class ByNames {
 public:
  ByNames(const FatTree& tree, const EndportNames& names)
      : tree_(tree),
        fabric_(tree.fabric()),
        names_(names),
        is_named_(fabric_.num_endports()),
        anchor_(fabric_.num_endports()) {
    for (const SwitchId s : fabric_.switches())
      for (const EndportId e : tree.hosts(s)) {
        ++num_hosts_;
        if (!host_in_description(names[e])) continue;
        named_.push_back(e);
        is_named_[e] = 1;
      }
    sort_named();
  }

  [[nodiscard]] std::size_t num_hosts() const { return num_hosts_; }
  [[nodiscard]] std::size_t num_named() const { return named_.size(); }
  [[nodiscard]] std::size_t num_own_names() const {
    std::size_t own = 0;
    for (std::size_t i = 0; i < named_.size(); ++i) own += i == 0 || names_[named_[i]] != names_[named_[i - 1]] ? 1 : 0;
    return own;
  }

  [[nodiscard]] std::vector<EndportId> hosts() {
    if (named_.size() == num_hosts_) return named_;
    find_anchors();
    std::map<EndportId, std::vector<EndportId>> before;
    std::map<EndportId, std::vector<EndportId>> behind;
    std::vector<EndportId> order;
    for (const EndportId e : topological_)
      if (const auto [host, is_before] = anchor_[e]; host != kNoEndport)
        (is_before ? before : behind)[host].push_back(e);
    for (const EndportId e : named_) {
      for (const EndportId other : before[e]) order.push_back(other);
      order.push_back(e);
      for (const EndportId other : behind[e]) order.push_back(other);
    }
    return order;
  }

  // One for each adapter's name; none where hosts have one adapter each.
  [[nodiscard]] std::vector<HostPart> rails(const std::vector<EndportId>& order) const {
    if (one_adapter_each()) return {};
    std::unordered_map<std::string, HostPart> by_adapter;
    std::unordered_map<Guid, std::size_t> ports;
    for (const EndportId e : named_) ++ports[fabric_.at(e).node_guid];
    for (const EndportId e : order) {
      if (!is_named(e)) continue;
      std::string adapter(adapter_in_description(names_[e]));
      if (ports[fabric_.at(e).node_guid] > 1) adapter += fmt::format("/{}", index(fabric_.at(e).port));
      HostPart& part = by_adapter[adapter];
      part.name = adapter;
      part.hosts.push_back(e);
    }
    std::vector<HostPart> parts;
    for (auto& [adapter, part] : by_adapter)
      if (part.hosts.size() > 1) parts.push_back(std::move(part));
    if (parts.size() < 2) parts.clear();
    std::sort(parts.begin(), parts.end(),
              [](const HostPart& a, const HostPart& b) { return natural_less(a.name, b.name); });
    return parts;
  }

 private:
  // Of one name the ports follow one another by GUID and number.
  void sort_named() {
    IdVector<EndportId, std::string> key(fabric_.num_endports());
    for (const EndportId e : named_) key[e] = natural_key(names_[e]);
    const auto place = [&](EndportId e) { return std::pair(fabric_.at(e).node_guid, fabric_.at(e).port); };
    std::sort(named_.begin(), named_.end(), [&](EndportId a, EndportId b) {
      if (const int order = key[a].compare(key[b]); order != 0) return order < 0;
      if (const int order = names_[a].compare(names_[b]); order != 0) return order < 0;
      return place(a) < place(b);
    });
  }

  [[nodiscard]] bool one_adapter_each() const {
    std::unordered_set<std::string_view> hosts;
    hosts.reserve(named_.size());
    return std::all_of(named_.begin(), named_.end(),
                       [&](EndportId e) { return hosts.insert(*host_in_description(names_[e])).second; });
  }

  // `topological_` has the hosts of a leaf one after the other, by port. On a leaf without any name, and before the
  // first one, the nearest in that order counts.
  void find_anchors() {
    topological_ = topological_order(tree_, UpDownCosts(tree_)).hosts;
    EndportId last = kNoEndport;
    for (std::size_t i = 0; i < topological_.size(); ++i) {
      const EndportId e = topological_[i];
      if (is_named(e)) {
        last = e;
        continue;
      }
      anchor_[e] = {last, false};
      if (last != kNoEndport && fabric_.at(last).leaf == fabric_.at(e).leaf) continue;
      for (std::size_t k = i + 1; k < topological_.size(); ++k) {
        const EndportId next = topological_[k];
        if (last != kNoEndport && fabric_.at(next).leaf != fabric_.at(e).leaf) break;
        if (!is_named(next)) continue;
        anchor_[e] = {next, true};
        break;
      }
    }
  }
  [[nodiscard]] bool is_named(EndportId e) const { return is_named_[e] != 0; }

  const FatTree& tree_;
  const Fabric& fabric_;
  const EndportNames& names_;
  std::size_t num_hosts_ = 0;
  std::vector<EndportId> topological_;
  std::vector<EndportId> named_;  // in natural order
  IdVector<EndportId, std::uint8_t> is_named_;
  IdVector<EndportId, Anchor> anchor_;
};

}  // namespace

EndportNames descriptions(const Fabric& fabric) {
  EndportNames names(fabric.num_endports());
  for (const EndportId e : fabric.endports()) names[e] = fabric.at(e).description;
  return names;
}

HostOrder order_by_names(const FatTree& tree, const EndportNames& names) {
  check(names.size() == tree.fabric().num_endports(), "order_by_names: one name per end port");
  ByNames by_names(tree, names);
  const std::size_t n = by_names.num_hosts();
  if (by_names.num_own_names() * 2 < n || n == 0)
    return {.hosts = {},
            .parts = {},
            .basis = fmt::format("topology, since only {} of {} have distinct names", by_names.num_own_names(),
                                 counted(n, "host"))};
  HostOrder order{.hosts = by_names.hosts(), .parts = {}, .basis = "names"};
  order.parts = by_names.rails(order.hosts);
  if (by_names.num_named() < n)
    order.basis +=
        fmt::format(", {} of {} without a name by their position", n - by_names.num_named(), counted(n, "host"));
  return order;
}

std::vector<EndportId> hosts_in_order(const FatTree& tree, const HostOrder& order) {
  return order.hosts.empty() ? topological_order(tree, UpDownCosts(tree)).hosts : order.hosts;
}

HostOrder order_by_parts(const FatTree& tree, std::vector<HostPart> parts) {
  const HostOrder by_name = order_by_names(tree, descriptions(tree.fabric()));
  const std::vector<EndportId> all = hosts_in_order(tree, by_name);
  IdVector<EndportId, std::uint8_t> is_host(tree.fabric().num_endports());
  for (const EndportId e : all) is_host[e] = 1;
  for (HostPart& part : parts) std::erase_if(part.hosts, [&](EndportId e) { return is_host[e] == 0; });
  std::erase_if(parts, [](const HostPart& part) { return part.hosts.empty(); });
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });

  HostOrder order{.hosts = {}, .parts = {}, .kind = HostOrder::Parts::kOrders, .basis = {}};
  const auto add = [&](EndportId e) {
    if (is_host[e] == 1) order.hosts.push_back(e);
    is_host[e] = 2;
  };
  for (const HostPart& part : parts) {
    for (const EndportId e : part.hosts) add(e);
    order.basis += (order.basis.empty() ? "" : ", ") + part.name;
  }
  const std::size_t given = order.hosts.size();
  for (const EndportId e : all) add(e);
  if (given < order.hosts.size())
    order.basis += fmt::format("{}{} by {}", given == 0 ? "" : ", then ", counted(order.hosts.size() - given, "host"),
                               by_name.basis);
  if (parts.size() > 1 || (!parts.empty() && given < order.hosts.size())) order.parts = std::move(parts);
  return order;
}

}  // namespace espalier
