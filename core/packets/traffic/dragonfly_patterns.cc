// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/traffic/dragonfly_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/number.h"

namespace espalier::packets {
namespace {

// Hosts to hosts and switches to switches: as many would wait for the slow port 0 of a switch as for a host, and all
// others behind them.
class Uniform : public Pattern {
 public:
  explicit Uniform(const Network& network) : hosts_(network.num_hosts), nodes_(network.num_nodes()) {}
  [[nodiscard]] bool sends(Node node) const override { return peers_of(node).count > 1; }
  [[nodiscard]] Node destination(Node node, Random& random) const override {
    const Peers peers = peers_of(node);
    const Node other = peers.first + random.below(peers.count - 1);
    return other < node ? other : other + 1;
  }

 private:
  struct Peers {
    Node first;
    Node count;
  };
  [[nodiscard]] Peers peers_of(Node node) const {
    return node < hosts_ ? Peers{0, hosts_} : Peers{hosts_, nodes_ - hosts_};
  }

  Node hosts_;
  Node nodes_;
};

// Nodes of one place to random nodes of another.
class Adversarial : public Pattern {
 public:
  // place[node], and to which place each sends.
  Adversarial(std::vector<std::uint32_t> place, std::vector<std::uint32_t> to)
      : place_(std::move(place)), to_(std::move(to)), members_(to_.size()) {
    for (Node n = 0; n < place_.size(); ++n) members_[place_[n]].push_back(n);
  }
  [[nodiscard]] bool sends(Node node) const override { return !members_[to_[place_[node]]].empty(); }
  [[nodiscard]] Node destination(Node node, Random& random) const override {
    const auto& members = members_[to_[place_[node]]];
    return members[random.below(static_cast<std::uint32_t>(members.size()))];
  }

 private:
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> to_;
  std::vector<std::vector<Node>> members_;
};

class Mixed : public Pattern {
 public:
  Mixed(double share, std::shared_ptr<const Pattern> first, std::shared_ptr<const Pattern> second)
      : share_(share), first_(std::move(first)), second_(std::move(second)) {}
  [[nodiscard]] bool sends(Node node) const override { return first_->sends(node) && second_->sends(node); }
  [[nodiscard]] Node destination(Node node, Random& random) const override {
    return (random.uniform() <= share_ ? first_ : second_)->destination(node, random);
  }

 private:
  double share_;
  std::shared_ptr<const Pattern> first_;
  std::shared_ptr<const Pattern> second_;
};

// The nodes of some routers by one pattern, all others by another.
class ByRouter : public Pattern {
 public:
  // For each node whether the first is its.
  ByRouter(std::vector<bool> is_first, std::shared_ptr<const Pattern> first, std::shared_ptr<const Pattern> second)
      : is_first_(std::move(is_first)), first_(std::move(first)), second_(std::move(second)) {}
  [[nodiscard]] bool sends(Node node) const override { return of(node).sends(node); }
  [[nodiscard]] Node destination(Node node, Random& random) const override {
    return of(node).destination(node, random);
  }

 private:
  [[nodiscard]] const Pattern& of(Node node) const { return is_first_[node] ? *first_ : *second_; }

  std::vector<bool> is_first_;
  std::shared_ptr<const Pattern> first_;
  std::shared_ptr<const Pattern> second_;
};

// Routers group by group: as many as the share of those so far.
std::vector<bool> nodes_of_share(const Network& network, const Dragonfly& dragonfly, double share) {
  std::vector<bool> is_chosen(network.num_routers());
  double so_far = 0;
  for (std::uint32_t g = 0; g < dragonfly.num_groups(); ++g)
    for (std::uint32_t m = 0; m < dragonfly.group_size(g); ++m) {
      so_far += share;
      is_chosen[dragonfly.router(g, m)] = so_far >= 1 - 1e-9;
      if (is_chosen[dragonfly.router(g, m)]) so_far -= 1;
    }
  std::vector<bool> nodes(network.num_nodes());
  for (Node n = 0; n < nodes.size(); ++n) nodes[n] = is_chosen[network.router_of(n)];
  return nodes;
}

std::shared_ptr<const Pattern> adversarial_global(const Network& network, const Dragonfly& dragonfly,
                                                  std::uint32_t shift) {
  std::vector<std::uint32_t> place(network.num_nodes());
  for (Node n = 0; n < place.size(); ++n) place[n] = dragonfly.group(network.router_of(n));
  std::vector<std::uint32_t> to(dragonfly.num_groups());
  for (std::uint32_t g = 0; g < to.size(); ++g) to[g] = (g + shift) % dragonfly.num_groups();
  return std::make_shared<Adversarial>(std::move(place), std::move(to));
}

std::shared_ptr<const Pattern> adversarial_local(const Network& network, const Dragonfly& dragonfly,
                                                 std::uint32_t shift) {
  std::vector<std::uint32_t> place(network.num_nodes());
  for (Node n = 0; n < place.size(); ++n) place[n] = network.router_of(n);
  std::vector<std::uint32_t> to(network.num_routers());
  for (Router r = 0; r < to.size(); ++r)
    to[r] =
        dragonfly.router(dragonfly.group(r), (dragonfly.member(r) + shift) % dragonfly.group_size(dragonfly.group(r)));
  return std::make_shared<Adversarial>(std::move(place), std::move(to));
}

// Whether nodes would send to their own group, or to their own router: themselves included.
bool stays_in_group(const Dragonfly& dragonfly, std::uint32_t shift) { return shift % dragonfly.num_groups() == 0; }
bool stays_at_router(const Dragonfly& dragonfly, std::uint32_t shift) {
  for (std::uint32_t g = 0; g < dragonfly.num_groups(); ++g)
    if (shift % dragonfly.group_size(g) == 0) return true;
  return false;
}

// The most global links of a router.
std::uint32_t global_links(const Network& network, const Dragonfly& dragonfly) {
  int most = 0;
  for (Router r = 0; r < network.num_routers(); ++r) most = std::max(most, std::popcount(dragonfly.global_ports(r)));
  return static_cast<std::uint32_t>(most);
}

// 0 to 1, or percent.
std::optional<double> parse_share(std::string_view text) {
  const std::optional<double> share = parse_number(text, 0.0, 100.0);
  return share && *share > 1 ? *share / 100 : share;
}

// What follows "burst:": packets of each node and then a share or a pattern.
std::optional<PatternSpec> parse_burst(std::string_view text) {
  constexpr std::uint32_t kMostPackets = 1'000'000;
  const std::size_t colon = text.find(':');
  const auto packets = parse_number<std::uint32_t>(text.substr(0, colon), 1, kMostPackets);
  if (colon == std::string_view::npos || !packets) return std::nullopt;
  const std::string_view of = text.substr(colon + 1);
  PatternSpec spec;
  if (const std::optional<double> share = parse_share(of)) {
    spec.kind = PatternSpec::Kind::kMixed;
    spec.global_share = *share;
  } else {
    const Result<PatternSpec> inner = parse_pattern(of);
    if (!inner || inner->burst) return std::nullopt;
    spec = *inner;
  }
  spec.burst = *packets;
  return spec;
}

// What follows "nlc:" or "rlc:": a share and a pattern.
std::optional<PatternSpec> parse_beside_uniform(std::string_view text, PatternSpec::Uniform uniform) {
  const std::size_t colon = text.find(':');
  const std::optional<double> share = parse_share(text.substr(0, colon));
  if (colon == std::string_view::npos || !share) return std::nullopt;
  Result<PatternSpec> spec = parse_pattern(text.substr(colon + 1));
  if (!spec || spec->burst || !spec->needs_groups() || spec->uniform != PatternSpec::Uniform::kNothing)
    return std::nullopt;
  spec->uniform = uniform;
  spec->uniform_share = *share;
  return *spec;
}

std::optional<PatternSpec> parse_spec(std::string_view text) {
  using Kind = PatternSpec::Kind;
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  if (colon == std::string_view::npos) return word == "un" ? std::optional<PatternSpec>(std::in_place) : std::nullopt;
  const std::string_view rest = text.substr(colon + 1);
  if (word == "burst") return parse_burst(rest);
  if (word == "nlc") return parse_beside_uniform(rest, PatternSpec::Uniform::kPackets);
  if (word == "rlc") return parse_beside_uniform(rest, PatternSpec::Uniform::kRouters);
  PatternSpec spec;
  if (word == "mixed") {
    const std::optional<double> share = parse_share(rest);
    if (!share) return std::nullopt;
    spec.kind = Kind::kMixed;
    spec.global_share = *share;
  } else if (word == "advg" || word == "advl") {
    const auto shift = parse_number<std::uint32_t>(rest);
    if (!shift || *shift == 0) return std::nullopt;
    spec.kind = word == "advg" ? Kind::kAdversarialGlobal : Kind::kAdversarialLocal;
    spec.shift = *shift;
  } else {
    return std::nullopt;
  }
  return spec;
}

Result<std::shared_ptr<const Pattern>> make_adversarial(const PatternSpec& spec, const Network& network,
                                                        const Dragonfly& dragonfly) {
  using Kind = PatternSpec::Kind;
  switch (spec.kind) {
    case Kind::kAdversarialGlobal:
      if (stays_in_group(dragonfly, spec.shift))
        return fail(fmt::format("advg:{} stays in its group, as {} is a multiple of the number of groups", spec.shift,
                                spec.shift),
                    "give another N");
      return adversarial_global(network, dragonfly, spec.shift);
    case Kind::kAdversarialLocal:
      if (stays_at_router(dragonfly, spec.shift))
        return fail(fmt::format("advl:{} stays at its router, as {} is a multiple of the size of a group", spec.shift,
                                spec.shift),
                    "give another N");
      return adversarial_local(network, dragonfly, spec.shift);
    default:
      break;
  }
  const std::uint32_t h = global_links(network, dragonfly);
  if (spec.global_share > 0 && stays_in_group(dragonfly, h))
    return fail(fmt::format("mixed has advg:{}, a multiple of the number of groups", h), "use advl:1, advg:N or un");
  if (spec.global_share < 1 && stays_at_router(dragonfly, 1))
    return fail("mixed has advl:1, and a group has one router", "use advg:N, mixed:1 or un");
  return std::make_shared<Mixed>(spec.global_share, adversarial_global(network, dragonfly, h),
                                 adversarial_local(network, dragonfly, 1));
}

}  // namespace

Result<PatternSpec> parse_pattern(std::string_view text) {
  if (const std::optional<PatternSpec> spec = parse_spec(text)) return *spec;
  return fail(fmt::format("\"{}\" is not a traffic pattern", text),
              "use un, advg:N, advl:N with N above 0, mixed:P with P from 0 to 1 or in percent, nlc:U:WORD or "
              "rlc:U:WORD with U likewise, burst:B:P or burst:B:WORD with B packets");
}

Result<std::shared_ptr<const Pattern>> make_pattern(const PatternSpec& spec, const Network& network,
                                                    const Dragonfly* dragonfly) {
  if (network.num_nodes() < 2) return fail("the fabric has fewer than two hosts");
  if (!spec.needs_groups()) return std::make_shared<Uniform>(network);
  if (dragonfly == nullptr) return fail("this traffic goes between groups, but the fabric is not a dragonfly");
  Result<std::shared_ptr<const Pattern>> adversarial = make_adversarial(spec, network, *dragonfly);
  if (!adversarial || spec.uniform == PatternSpec::Uniform::kNothing) return adversarial;
  auto uniform = std::make_shared<Uniform>(network);
  if (spec.uniform == PatternSpec::Uniform::kPackets)
    return std::make_shared<Mixed>(spec.uniform_share, std::move(uniform), *std::move(adversarial));
  return std::make_shared<ByRouter>(nodes_of_share(network, *dragonfly, spec.uniform_share), std::move(uniform),
                                    *std::move(adversarial));
}

}  // namespace espalier::packets
