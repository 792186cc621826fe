// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/dragonfly/spanned_grids.h"

#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "core/base/parallel.h"
#include "core/dragonfly/grid_fit.h"

namespace espalier {
namespace {

using Switches = std::vector<SwitchId>;
using Size = std::pair<std::size_t, std::size_t>;

constexpr std::size_t kMostSizes = 4;

struct Spanned {
  SwitchId by;
  Size size;          // rows and columns, the smaller first
  Switches switches;  // ascending
};

// Lines of a switch, and what two of them span.
class Spans {
 public:
  explicit Spans(const CablingGraph& graph) : graph_(graph), of_other_(graph) {}

  // The neighbors of a switch, apart where no link joins them.
  std::vector<Switches> lines_at(SwitchId s) {
    s_ = s;
    Switches left = graph_.neighbors(s);
    std::vector<Switches> lines;
    while (!left.empty()) {
      Switches line = {left.back()};
      left.pop_back();
      for (std::size_t i = 0; i < line.size() && !left.empty(); ++i) {
        of_other_.mark_those_of(line[i]);
        const auto apart = std::partition(left.begin(), left.end(), [&](SwitchId t) { return !of_other_.has(t); });
        line.insert(line.end(), apart, left.end());
        left.erase(apart, left.end());
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

  // By two lines of the last switch. Nothing if most corners are missing.
  std::optional<Spanned> spanned_by(const Switches& row, const Switches& column) {
    const auto [least, most] = std::minmax({row.size() + 1, column.size() + 1});
    if (least * most < kLeastRoutersOfGrid) return std::nullopt;
    Spanned grid{s_, {least, most}, {s_}};
    const std::size_t num_corners = row.size() * column.size();
    std::size_t missing = 0;
    for (const SwitchId a : row) {
      mark_behind(a);
      for (const SwitchId b : column) {
        const SwitchId c = corner(b);
        if (c != kNoSwitch)
          grid.switches.push_back(c);
        else if (2 * ++missing > num_corners)
          return std::nullopt;
      }
    }
    grid.switches.insert(grid.switches.end(), row.begin(), row.end());
    grid.switches.insert(grid.switches.end(), column.begin(), column.end());
    std::sort(grid.switches.begin(), grid.switches.end());
    const auto end = std::unique(grid.switches.begin(), grid.switches.end());
    if (end != grid.switches.end()) return std::nullopt;
    return grid;
  }

 private:
  // Neighbors of `a` that are neither the switch nor neighbors of it.
  void mark_behind(SwitchId a) {
    of_other_.mark_those_of(a);
    of_other_.leave_out(s_);
    for (const SwitchId t : graph_.neighbors(s_)) of_other_.leave_out(t);
  }

  // The one of them behind b as well; kNoSwitch: none, or several.
  [[nodiscard]] SwitchId corner(SwitchId b) const {
    SwitchId found = kNoSwitch;
    for (const SwitchId c : graph_.neighbors(b)) {
      if (!of_other_.has(c)) continue;
      if (found != kNoSwitch) return kNoSwitch;
      found = c;
    }
    return found;
  }

  const CablingGraph& graph_;
  SwitchId s_ = kNoSwitch;
  MarkedNeighbors of_other_;
};

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

// In the order of the switches.
std::vector<Spanned> spanned_by_any(const CablingGraph& graph) {
  constexpr std::size_t kBlock = 64;
  std::vector<std::vector<Spanned>> blocks((graph.size() + kBlock - 1) / kBlock);
  parallel_for(blocks.size(), [&](std::size_t block) {
    Spans spans(graph);
    for (std::size_t i = block * kBlock; i < std::min(graph.size(), (block + 1) * kBlock); ++i) {
      const std::vector<Switches> lines = spans.lines_at(id_at<SwitchId>(i));
      for (std::size_t a = 0; a < lines.size(); ++a)
        for (std::size_t b = a + 1; b < lines.size(); ++b)
          if (auto grid = spans.spanned_by(lines[a], lines[b])) blocks[block].push_back(*std::move(grid));
    }
  });
  std::vector<Spanned> all;
  for (std::vector<Spanned>& block : blocks)
    all.insert(all.end(), std::make_move_iterator(block.begin()), std::make_move_iterator(block.end()));
  return all;
}

}  // namespace

std::vector<GroupOfSwitch> spanned_grids(const CablingGraph& graph) {
  std::vector<Spanned> all = spanned_by_any(graph);
  std::map<Size, std::size_t> counts;
  for (const Spanned& grid : all) ++counts[grid.size];
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
