// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/schedule/exchanges/server_exchange.h"

#include <algorithm>
#include <numeric>

#include "core/base/hash.h"
#include "core/schedule/combinatorics/equitable_coloring.h"

namespace espalier {
namespace {

std::uint32_t pieces(std::uint32_t servers, std::uint32_t grain) { return (servers + grain - 1) / grain; }

// 0 .. count-1 in an order that looks random; another one for each `key`.
std::vector<std::uint32_t> scattered(std::uint32_t count, std::uint64_t key) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return mix(key, a) < mix(key, b); });
  return order;
}

class Exchange {
 public:
  Exchange(const LeafSpine& tree, std::uint32_t grain, std::uint32_t blocks, std::uint32_t num_paths)
      : tree_(tree),
        n_(static_cast<std::uint32_t>(tree.num_leaves())),
        num_paths_(num_paths),
        grain_(grain),
        blocks_(blocks),
        first_server_(n_ + 1, 0),
        by_leaf_(n_) {
    std::partial_sum(tree.servers.begin(), tree.servers.end(), first_server_.begin() + 1);
  }

  std::vector<Slot> run(const std::vector<Part>& parts) {
    divide_into_blocks(parts);
    // by_leaf_[B]: the pieces to leaf B, each with its block; a link occurs once per block.
    for (std::uint32_t b = 0; b < n_; ++b) choose_destinations(b);
    // by_source_[A]: the pieces from leaf A, each with its block and destination; a destination occurs once per block.
    slots_.resize(std::size_t{first_server_[n_]} * blocks_ * grain_);
    for (std::uint32_t a = 0; a < n_; ++a) choose_sources(a);
    return std::move(slots_);
  }

 private:
  void divide_into_blocks(const std::vector<Part>& parts) {
    LaminarSide side{std::vector<std::uint32_t>(n_ * num_paths_), n_};
    for (std::uint32_t i = 0; i < n_ * num_paths_; ++i) side.outer_of[i] = i / num_paths_;
    std::uint32_t first_block = 0;
    for (const Part& part : parts) {
      if (part.blocks == 0) continue;
      std::vector<Bundle> edges;
      for (const LeafPieces& p : part.pieces)
        edges.push_back({p.from * num_paths_ + p.path, p.to * num_paths_ + p.path, p.count, 0});
      color_equitably(edges, side, side, part.blocks, [&](std::uint32_t block, const std::vector<Bundle>& in_block) {
        for (const Bundle& e : in_block)
          by_leaf_[e.right / num_paths_].push_back(
              {e.left / num_paths_, first_block + block, e.count, e.left % num_paths_});
      });
      first_block += part.blocks;
    }
  }

  void choose_destinations(std::uint32_t b) {
    by_source_.resize(n_);
    const std::uint32_t servers = tree_.servers[b];
    if (servers == 0) return;
    color_equitably(by_leaf_[b], LaminarSide::flat(n_), LaminarSide::flat(blocks_), servers,
                    [&](std::uint32_t d, const std::vector<Bundle>& mine) {
                      for (const Bundle& e : mine)
                        by_source_[e.left].push_back({first_server_[b] + d, e.right, e.count, e.tag});
                    });
  }

  void choose_sources(std::uint32_t a) {
    const std::uint32_t servers = tree_.servers[a];
    if (servers == 0) return;
    const std::uint32_t groups = pieces(servers, grain_);
    std::vector<std::uint32_t> turn(blocks_);
    // Where there are ghosts, their turns are scattered, block by block, and so are the places of pieces: otherwise all
    // destinations of a leaf rest at the same times, which is of little use to flows within it.
    const bool has_ghosts = groups * grain_ > servers;
    std::vector<std::vector<std::uint32_t>> places(has_ghosts ? blocks_ : 0);
    std::vector<std::vector<std::uint32_t>> turns(places.size());
    for (std::uint32_t block = 0; block < places.size(); ++block) {
      places[block] = scattered(grain_, mix(mix(a, block), 0));
      turns[block] = scattered(grain_, mix(mix(a, block), 1));
    }
    const auto rotate = [&](std::uint32_t group, const std::vector<Bundle>& mine) {
      std::fill(turn.begin(), turn.end(), 0);
      for (const Bundle& e : mine) {
        std::uint32_t j = turn[e.right]++;
        if (has_ghosts) j = places[e.right][j];
        for (std::uint32_t t = 0; t < grain_; ++t) {
          std::uint32_t in_group = (j + t) % grain_;
          if (has_ghosts) in_group = turns[e.right][in_group];
          const std::uint32_t in_leaf = group * grain_ + in_group;
          if (in_leaf >= servers) continue;  // a ghost
          const std::size_t source = first_server_[a] + in_leaf;
          slots_[source * blocks_ * grain_ + std::size_t{e.right} * grain_ + t] = {e.left, e.tag};
        }
      }
    };
    color_equitably(by_source_[a], LaminarSide::flat(first_server_[n_]), LaminarSide::flat(blocks_), groups, rotate);
  }

  const LeafSpine& tree_;
  std::uint32_t n_;
  std::uint32_t num_paths_;
  std::uint32_t grain_;
  std::uint32_t blocks_;
  std::vector<std::uint32_t> first_server_;
  std::vector<std::vector<Bundle>> by_leaf_;    // left: leaf of the source, right: block, tag: spine
  std::vector<std::vector<Bundle>> by_source_;  // left: destination, right: block, tag: spine
  std::vector<Slot> slots_;
};

}  // namespace

std::vector<std::uint32_t> possible_grains(const LeafSpine& tree) {
  std::uint32_t common = 0;
  for (const std::uint32_t servers : tree.servers) common = std::gcd(common, servers);
  std::vector<std::uint32_t> grains;
  const std::uint32_t most = tree.servers.empty() ? 0 : *std::max_element(tree.servers.begin(), tree.servers.end());
  if (most > common) grains.push_back(most);
  for (std::uint32_t g = common; g >= 1; --g)
    if (common % g == 0) grains.push_back(g);
  return grains;
}

std::vector<std::uint32_t> piece_demand(const LeafSpine& tree, std::uint32_t grain) {
  const std::size_t n = tree.num_leaves();
  std::vector<std::uint32_t> demand(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if (a != b) demand[a * n + b] = pieces(tree.servers[a], grain) * tree.servers[b];
  return demand;
}

std::vector<std::uint32_t> routable_demand(const LeafSpine& tree, std::uint32_t grain) {
  std::vector<std::uint32_t> demand = piece_demand(tree, grain);
  for (std::size_t a = 0; a < tree.num_leaves(); ++a)
    for (std::size_t b = 0; b < tree.num_leaves(); ++b)
      if (tree.common_spines(a, b) == 0) demand[a * tree.num_leaves() + b] = 0;
  return demand;
}

std::uint32_t least_blocks(const LeafSpine& tree, std::uint32_t grain) {
  std::uint32_t per_server = 0;
  for (const std::uint32_t servers : tree.servers) per_server += pieces(servers, grain);
  std::uint32_t least = per_server;
  for (const std::uint32_t servers : tree.servers) {
    if (servers == 0) continue;
    const std::uint64_t sent = std::uint64_t{pieces(servers, grain)} * tree.num_servers();
    least = std::max(least, static_cast<std::uint32_t>((sent + servers - 1) / servers));
  }
  return least;
}

Part exchange_between_leaves(const LeafSpine& tree, const SpineLoads& loads, std::uint32_t blocks) {
  Part part;
  part.blocks = blocks;
  const auto n = static_cast<std::uint32_t>(tree.num_leaves());
  const auto m = static_cast<std::uint32_t>(tree.num_spines);
  for (std::uint32_t a = 0; a < n; ++a)
    for (std::uint32_t b = 0; b < n; ++b)
      for (std::uint32_t s = 0; s < m && a != b; ++s)
        if (const std::uint32_t x = loads.at(a, s, b); x != 0) part.pieces.push_back({a, b, s, x});
  return part;
}

Part whole_exchange(const LeafSpine& tree, const SpineLoads& loads, std::uint32_t grain, std::uint32_t blocks) {
  Part part = exchange_between_leaves(tree, loads, blocks);
  const auto m = static_cast<std::uint32_t>(tree.num_spines);
  for (std::uint32_t a = 0; a < tree.num_leaves(); ++a)
    if (const std::uint32_t own = pieces(tree.servers[a], grain) * tree.servers[a]; own != 0)
      part.pieces.push_back({a, a, m, own});
  return part;
}

std::vector<Slot> exchange_servers(const LeafSpine& tree, const std::vector<Part>& parts, std::uint32_t grain,
                                   std::uint32_t num_paths) {
  std::uint32_t blocks = 0;
  for (const Part& part : parts) blocks += part.blocks;
  return Exchange(tree, grain, blocks, num_paths).run(parts);
}

}  // namespace espalier
