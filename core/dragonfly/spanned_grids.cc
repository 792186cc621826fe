// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/spanned_grids.h"

#include <map>
#include <optional>
#include <utility>

#include "core/dragonfly/grid_fit.h"

namespace espalier {
namespace {

using Switches = std::vector<SwitchId>;
using Size = std::pair<std::size_t, std::size_t>;

constexpr std::size_t kMostSizes = 4;

bool are_cabled(const CablingGraph& graph, SwitchId a, SwitchId b) {
  return std::binary_search(graph.neighbors(a).begin(), graph.neighbors(a).end(), b);
}

// The neighbors of a switch, apart where no link joins them.
std::vector<Switches> lines_at(const CablingGraph& graph, SwitchId s) {
  Switches left = graph.neighbors(s);
  std::vector<Switches> lines;
  while (!left.empty()) {
    Switches line = {left.back()};
    left.pop_back();
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto apart =
          std::partition(left.begin(), left.end(), [&](SwitchId t) { return !are_cabled(graph, line[i], t); });
      line.insert(line.end(), apart, left.end());
      left.erase(apart, left.end());
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// The one switch behind the two, seen from s; kNoSwitch: none, or several.
SwitchId corner(const CablingGraph& graph, SwitchId s, SwitchId a, SwitchId b) {
  SwitchId found = kNoSwitch;
  auto i = graph.neighbors(a).begin();
  auto j = graph.neighbors(b).begin();
  while (i != graph.neighbors(a).end() && j != graph.neighbors(b).end()) {
    if (*i < *j) {
      ++i;
    } else if (*j < *i) {
      ++j;
    } else {
      if (*i != s && !are_cabled(graph, *i, s)) {
        if (found != kNoSwitch) return kNoSwitch;
        found = *i;
      }
      ++i, ++j;
    }
  }
  return found;
}

struct Spanned {
  SwitchId by;
  Size size;          // rows and columns, the smaller first
  Switches switches;  // ascending
};

// Nothing if most corners are missing.
std::optional<Spanned> spanned_by(const CablingGraph& graph, SwitchId s, const Switches& row, const Switches& column) {
  const auto [least, most] = std::minmax({row.size() + 1, column.size() + 1});
  if (least * most < kLeastRoutersOfGrid) return std::nullopt;
  Spanned grid{s, {least, most}, {s}};
  const std::size_t num_corners = row.size() * column.size();
  std::size_t missing = 0;
  for (const SwitchId a : row)
    for (const SwitchId b : column) {
      const SwitchId c = corner(graph, s, a, b);
      if (c != kNoSwitch)
        grid.switches.push_back(c);
      else if (2 * ++missing > num_corners)
        return std::nullopt;
    }
  grid.switches.insert(grid.switches.end(), row.begin(), row.end());
  grid.switches.insert(grid.switches.end(), column.begin(), column.end());
  std::sort(grid.switches.begin(), grid.switches.end());
  const auto end = std::unique(grid.switches.begin(), grid.switches.end());
  if (end != grid.switches.end()) return std::nullopt;
  return grid;
}

bool is_grid(const CablingGraph& graph, const Spanned& spanned) {
  const auto fit = fit_grid(graph.neighbors_within(spanned.switches));
  return fit && Size(fit->rows, fit->columns) == spanned.size;
}

// Those of this size, one after the other, that are the only ones of the switch whose lines span them: in tori most
// switches span several.
GroupOfSwitch apart(const CablingGraph& graph, const std::vector<Spanned>& all, const Size& size) {
  GroupOfSwitch groups(graph.size());
  std::iota(groups.begin(), groups.end(), 0U);
  IdVector<SwitchId, std::uint32_t> num_spanned(graph.size(), 0);
  for (const Spanned& grid : all) num_spanned[grid.by] += grid.size == size ? 1 : 0;
  IdVector<SwitchId, std::uint8_t> is_taken(graph.size(), 0);
  for (const Spanned& grid : all) {
    const bool is_free =
        std::none_of(grid.switches.begin(), grid.switches.end(), [&](SwitchId s) { return is_taken[s] != 0; });
    if (grid.size != size || num_spanned[grid.by] > 1 || !is_free || !is_grid(graph, grid)) continue;
    for (const SwitchId s : grid.switches) {
      groups[s] = static_cast<std::uint32_t>(index(grid.switches.front()));
      is_taken[s] = 1;
    }
  }
  return groups;
}

}  // namespace

std::vector<GroupOfSwitch> spanned_grids(const CablingGraph& graph) {
  std::vector<Spanned> all;
  std::map<Size, std::size_t> counts;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto s = id_at<SwitchId>(i);
    const std::vector<Switches> lines = lines_at(graph, s);
    for (std::size_t a = 0; a < lines.size(); ++a)
      for (std::size_t b = a + 1; b < lines.size(); ++b)
        if (auto grid = spanned_by(graph, s, lines[a], lines[b])) {
          ++counts[grid->size];
          all.push_back(*std::move(grid));
        }
  }
  // Fuller ones first: less is missing there.
  std::stable_sort(all.begin(), all.end(),
                   [](const Spanned& a, const Spanned& b) { return a.switches.size() > b.switches.size(); });
  std::vector<std::pair<std::size_t, Size>> sizes;
  for (const auto& [size, count] : counts) sizes.emplace_back(count, size);
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.resize(std::min(sizes.size(), kMostSizes));
  std::vector<GroupOfSwitch> found;
  for (const auto& [count, size] : sizes) found.push_back(apart(graph, all, size));
  return found;
}

}  // namespace espalier
