// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/levels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/fabric/connectivity/connected_components.h"
#include "core/fabric/endport_role.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// What one switch sees, by a search of its own.
struct View {
  double mean = 0;
  std::uint32_t most_frequent = 0;
  bool sees_hosts = false;
};
View view_of(const Fabric& fabric, const IdVector<SwitchId, std::uint32_t>& hosts, SwitchId s) {
  const auto distance = distances(fabric, {s});
  std::map<std::uint32_t, std::uint64_t> hosts_at;
  std::uint64_t sum = 0, count = 0, most = 0;
  for (const SwitchId t : fabric.switches()) {
    if (distance[t] == kFarAway || hosts[t] == 0) continue;
    hosts_at[distance[t]] += hosts[t];
    sum += std::uint64_t{distance[t]} * hosts[t];
    count += hosts[t];
  }
  View view;
  for (const auto& [hops, number] : hosts_at)
    if (number > most) std::tie(most, view.most_frequent) = std::pair(number, hops);
  view.sees_hosts = count > 0;
  if (count > 0) view.mean = static_cast<double>(sum) / static_cast<double>(count);
  return view;
}

void expect_roots_by_plain_views(const Fabric& fabric) {
  const auto hosts = count_hosts(fabric);
  const auto component = connected_components(fabric);
  IdVector<SwitchId, View> views(fabric.num_switches());
  for (const SwitchId s : fabric.switches()) views[s] = view_of(fabric, hosts, s);
  // Those for which no other switch of the component has a value lower by more than `slack`.
  const auto best = [&](auto value, double slack) {
    std::vector<SwitchId> found;
    for (const SwitchId s : fabric.switches()) {
      if (!views[s].sees_hosts) continue;
      double least = value(views[s]);
      for (const SwitchId t : fabric.switches())
        if (component[t] == component[s] && views[t].sees_hosts) least = std::min<double>(least, value(views[t]));
      if (value(views[s]) <= least + slack) found.push_back(s);
    }
    return found;
  };
  const HostViews seen(fabric, hosts);
  EXPECT_EQ(seen.statistical_roots(), best([](const View& v) { return double{1} * v.most_frequent; }, 0));
  for (const double slack : {0.0, 0.5})
    EXPECT_EQ(seen.central_roots(slack), best([](const View& v) { return v.mean; }, slack));
}

TEST(HostViews, AreThoseOfASearchFromEachSwitch) {
  for (const auto& [name, fabric] : test::all_drawn_fabrics()) {
    SCOPED_TRACE(name);
    expect_roots_by_plain_views(fabric);
  }
  expect_roots_by_plain_views(test::generated("jellyfish", "130,6,1", 0, 7));
  expect_roots_by_plain_views(test::generated("torus", "65,1"));
  expect_roots_by_plain_views(test::generated("pgft", "3;4,4,6;1,4,4;1,1,2"));
}

}  // namespace
}  // namespace espalier
