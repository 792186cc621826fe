// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/leaf_spine/phase_spines.h"

#include <algorithm>
#include <cadical.hpp>

namespace espalier {
namespace {

constexpr std::uint32_t kNoPhase = ~std::uint32_t{0};

class PathColoring {
 public:
  PathColoring(const LeafSpine& tree, std::span<const LeafPair> flows)
      : tree_(tree),
        flows_(flows),
        m_(tree.num_spines),
        up_(tree.num_leaves() * m_, kNoPhase),
        down_(tree.num_leaves() * m_, kNoPhase),
        spine_(flows.size(), kNoPhase) {}

  std::optional<std::vector<std::uint32_t>> run() {
    for (std::uint32_t flow = 0; flow < flows_.size(); ++flow)
      if (!place(flow)) return std::nullopt;
    return std::move(spine_);
  }

 private:
  [[nodiscard]] bool allowed(std::uint32_t flow, std::size_t s) const {
    return tree_.joined(flows_[flow].from, s) && tree_.joined(flows_[flow].to, s);
  }
  std::uint32_t& up(std::uint32_t flow, std::size_t s) { return up_[flows_[flow].from * m_ + s]; }
  std::uint32_t& down(std::uint32_t flow, std::size_t s) { return down_[flows_[flow].to * m_ + s]; }

  bool place(std::uint32_t flow) {
    for (std::size_t s = 0; s < m_; ++s)
      if (allowed(flow, s) && up(flow, s) == kNoPhase && down(flow, s) == kNoPhase) {
        set_flow(flow, s);
        return true;
      }
    // s is free upward, t downward: exchange s and t along the path that starts with s at the destination.
    for (std::size_t s = 0; s < m_; ++s)
      for (std::size_t t = 0; t < m_; ++t)
        if (allowed(flow, s) && up(flow, s) == kNoPhase && tree_.joined(flows_[flow].to, t) &&
            down(flow, t) == kNoPhase && exchange(flow, s, t))
          return true;
    return false;
  }

  // Frees s at the destination of `flow`: the flow there moves to t, who has t at its source moves to s, and so on.
  bool exchange(std::uint32_t flow, std::size_t s, std::size_t t) {
    path_.clear();
    bool to_t = true;
    for (std::uint32_t at = flow_on(down_, flows_[flow].to, s); at != kNoPhase; to_t = !to_t) {
      if (!allowed(at, to_t ? t : s)) return false;
      path_.push_back(at);
      at = to_t ? flow_on(up_, flows_[at].from, t) : flow_on(down_, flows_[at].to, s);
    }
    for (const std::uint32_t moved : path_) up(moved, spine_[moved]) = down(moved, spine_[moved]) = kNoPhase;
    for (const std::uint32_t moved : path_) set_flow(moved, spine_[moved] == s ? t : s);
    set_flow(flow, s);
    return true;
  }

  [[nodiscard]] std::uint32_t flow_on(const std::vector<std::uint32_t>& links, std::size_t leaf, std::size_t s) const {
    return links[leaf * m_ + s];
  }
  void set_flow(std::uint32_t flow, std::size_t s) {
    up(flow, s) = down(flow, s) = flow;
    spine_[flow] = static_cast<std::uint32_t>(s);
  }

  const LeafSpine& tree_;
  std::span<const LeafPair> flows_;
  std::size_t m_;
  std::vector<std::uint32_t> up_;    // [leaf * spines + spine]: the flow on the link upward
  std::vector<std::uint32_t> down_;  // ... downward
  std::vector<std::uint32_t> spine_;
  std::vector<std::uint32_t> path_;
};

// One variable per flow and allowed spine; each flow has a spine, each link at most one flow.
std::optional<std::vector<std::uint32_t>> solve_exactly(const LeafSpine& tree, std::span<const LeafPair> flows) {
  CaDiCaL::Solver solver;
  solver.set("quiet", 1);  // a guest in other programs prints nothing
  const auto m = static_cast<std::uint32_t>(tree.num_spines);
  const auto variable = [&](std::size_t flow, std::uint32_t s) { return static_cast<int>(flow * m + s + 1); };
  std::vector<std::vector<int>> on_link(2 * tree.num_leaves() * m);
  for (std::size_t flow = 0; flow < flows.size(); ++flow) {
    for (std::uint32_t s = 0; s < m; ++s) {
      if (!tree.joined(flows[flow].from, s) || !tree.joined(flows[flow].to, s)) continue;
      solver.add(variable(flow, s));
      on_link[flows[flow].from * m + s].push_back(variable(flow, s));
      on_link[(tree.num_leaves() + flows[flow].to) * m + s].push_back(variable(flow, s));
    }
    solver.add(0);
  }
  for (const std::vector<int>& link : on_link)
    for (std::size_t i = 0; i < link.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        for (const int literal : {-link[i], -link[j], 0}) solver.add(literal);
  constexpr int kSatisfiable = 10;
  if (solver.solve() != kSatisfiable) return std::nullopt;
  std::vector<std::uint32_t> spines(flows.size(), kNoPhase);
  for (std::size_t flow = 0; flow < flows.size(); ++flow)
    for (std::uint32_t s = 0; s < m && spines[flow] == kNoPhase; ++s)
      if (tree.joined(flows[flow].from, s) && tree.joined(flows[flow].to, s) && solver.val(variable(flow, s)) > 0)
        spines[flow] = s;
  return spines;
}

}  // namespace

std::optional<std::vector<std::uint32_t>> spines_by_exchange(const LeafSpine& tree, std::span<const LeafPair> flows) {
  return PathColoring(tree, flows).run();
}

std::optional<std::vector<std::uint32_t>> phase_spines(const LeafSpine& tree, std::span<const LeafPair> flows) {
  for (const LeafPair& flow : flows)
    if (tree.common_spines(flow.from, flow.to) == 0) return std::nullopt;
  if (auto spines = spines_by_exchange(tree, flows)) return spines;
  return solve_exactly(tree, flows);
}

std::vector<std::uint32_t> spines_of_first_flows(const LeafSpine& tree, std::span<const LeafPair> flows) {
  std::vector<std::uint32_t> result(flows.size(), kNoSpine);
  for (std::size_t count = flows.size(); count > 0; --count)
    if (const auto spines = phase_spines(tree, flows.first(count))) {
      std::copy(spines->begin(), spines->end(), result.begin());
      break;
    }
  return result;
}

}  // namespace espalier
