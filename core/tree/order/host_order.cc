// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/host_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
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

// In any order that brings equal words together: by their hashes, so that hardly two words are compared.
struct HashedWord {
  explicit HashedWord(std::string_view text) : hash(std::hash<std::string_view>()(text)), word(text) {}
  auto operator<=>(const HashedWord&) const = default;

  std::size_t hash;
  std::string_view word;
};

// Of at most eight bytes, as a number that compares as they do.
std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i)
    number = number << 8 | (i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0U);
  return number;
}

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
    std::vector<HostPart> parts;
    const LargeVector<OnRail> all = sorted_by_rail(order);
    for (auto first = all.begin(), last = first; first != all.end(); first = last) {
      last = std::find_if(first, all.end(), [&](const OnRail& other) { return !other.shares_rail(*first); });
      if (last - first < 2) continue;
      HostPart& part = parts.emplace_back();
      part.name = first->port == kOnlyPort ? std::string(first->adapter.word)
                                           : fmt::format("{}/{}", first->adapter.word, index(first->port));
      for (auto it = first; it != last; ++it) part.hosts.push_back(order[it->place]);
    }
    if (parts.size() < 2) parts.clear();
    std::sort(parts.begin(), parts.end(),
              [](const HostPart& a, const HostPart& b) { return natural_less(a.name, b.name); });
    return parts;
  }

 private:
  // By natural keys. Of one name the ports follow one another by GUID and number.
  void sort_named() {
    struct Keyed {
      std::uint64_t front;  // eight bytes, from where keys begin to differ: they tell nearly all names apart
      std::size_t first;
      std::size_t size;
      EndportId host;
    };
    std::string keys;
    LargeVector<Keyed> order;
    order.reserve(named_.size());
    for (const EndportId e : named_) {
      const std::size_t first = keys.size();
      append_natural_key(names_[e], keys);
      order.push_back({0, first, keys.size() - first, e});
    }
    const auto key = [&](const Keyed& k) { return std::string_view(keys).substr(k.first, k.size); };
    std::string_view common = order.empty() ? std::string_view() : key(order.front());
    for (const Keyed& k : order) common = {common.begin(), std::ranges::mismatch(common, key(k)).in1};
    for (Keyed& k : order) k.front = big_endian(key(k).substr(common.size(), 8));
    const auto place = [&](EndportId e) { return std::pair(fabric_.at(e).node_guid, fabric_.at(e).port); };
    std::sort(order.begin(), order.end(), [&](const Keyed& a, const Keyed& b) {
      if (a.front != b.front) return a.front < b.front;
      if (const int sign = key(a).compare(key(b)); sign != 0) return sign < 0;
      if (const int sign = names_[a.host].compare(names_[b.host]); sign != 0) return sign < 0;
      return place(a.host) < place(b.host);
    });
    std::ranges::transform(order, named_.begin(), &Keyed::host);
  }

  [[nodiscard]] bool one_adapter_each() const {
    LargeVector<HashedWord> hosts;
    hosts.reserve(named_.size());
    for (const EndportId e : named_) {
      hosts.emplace_back(*host_in_description(names_[e]));
      if (hosts.size() > 1 && hosts.back() == hosts[hosts.size() - 2]) return false;
    }
    std::sort(hosts.begin(), hosts.end());
    return std::adjacent_find(hosts.begin(), hosts.end()) == hosts.end();
  }

  static constexpr PortNum kOnlyPort{0};  // of its adapter that has a name
  struct OnRail {
    HashedWord adapter;
    PortNum port;
    std::uint32_t place;  // in the order of all hosts
    [[nodiscard]] bool shares_rail(const OnRail& other) const { return adapter == other.adapter && port == other.port; }
    auto operator<=>(const OnRail&) const = default;
  };

  // The named hosts.
  [[nodiscard]] LargeVector<OnRail> sorted_by_rail(const std::vector<EndportId>& order) const {
    // Another named port of the adapter; ports of one have ids that follow one another.
    const auto has_other = [&](EndportId e) {
      const auto is_port = [&](std::size_t i) {
        return fabric_.at(id_at<EndportId>(i)).node_guid == fabric_.at(e).node_guid;
      };
      for (std::size_t i = index(e); i > 0 && is_port(i - 1); --i)
        if (is_named(id_at<EndportId>(i - 1))) return true;
      for (std::size_t i = index(e) + 1; i < fabric_.num_endports() && is_port(i); ++i)
        if (is_named(id_at<EndportId>(i))) return true;
      return false;
    };
    LargeVector<OnRail> all;
    all.reserve(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
      const EndportId e = order[place];
      if (!is_named(e)) continue;
      all.push_back({HashedWord(adapter_in_description(names_[e])), has_other(e) ? fabric_.at(e).port : kOnlyPort,
                     static_cast<std::uint32_t>(place)});
    }
    std::sort(all.begin(), all.end());
    return all;
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
  EndportNames names;
  names.reserve(fabric.num_endports());
  for (const EndportId e : fabric.endports()) names.push_back(fabric.at(e).description);
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
