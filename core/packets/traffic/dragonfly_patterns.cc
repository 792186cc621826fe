// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/traffic/dragonfly_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

namespace espalier::packets {
namespace {

// Hosts to hosts and switches to switches: as many would wait for the slow port 0 of a switch as for a host, and all
// others behind them.
class Uniform : public Pattern {
 public:
  explicit Uniform(const Network& network) : hosts_(network.num_hosts), nodes_(network.num_nodes()) {}
  [[nodiscard]] bool sends(Node node) const override { return kind_of(node).count > 1; }
  [[nodiscard]] Node destination(Node node, Random& random) const override {
    const Kind kind = kind_of(node);
    const Node other = kind.first + random.below(kind.count - 1);
    return other < node ? other : other + 1;
  }

 private:
  struct Kind {
    Node first;
    Node count;
  };
  [[nodiscard]] Kind kind_of(Node node) const {
    return node < hosts_ ? Kind{0, hosts_} : Kind{hosts_, nodes_ - hosts_};
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
    to[r] = dragonfly.router(dragonfly.group(r), (dragonfly.member(r) + shift) % dragonfly.group_size());
  return std::make_shared<Adversarial>(std::move(place), std::move(to));
}

// The most global links of a router.
std::uint32_t global_links(const Network& network, const Dragonfly& dragonfly) {
  int most = 0;
  for (Router r = 0; r < network.num_routers(); ++r) most = std::max(most, std::popcount(dragonfly.global_ports(r)));
  return static_cast<std::uint32_t>(most);
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

bool parse_share(std::string_view text, double& share) {
  if (!parse_number(text, share) || !(share >= 0 && share <= 100)) return false;
  if (share > 1) share /= 100;
  return true;
}

}  // namespace

Result<PatternSpec> parse_pattern(std::string_view text) {
  using Kind = PatternSpec::Kind;
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
  PatternSpec spec;
  bool good = false;
  if (word == "un") {
    good = colon == std::string_view::npos;
  } else if (word == "advg" || word == "advl") {
    spec.kind = word == "advg" ? Kind::kAdversarialGlobal : Kind::kAdversarialLocal;
    good = parse_number(rest, spec.shift) && spec.shift > 0;
  } else if (word == "mixed") {
    spec.kind = Kind::kMixed;
    good = parse_share(rest, spec.global_share);
  } else if (word == "burst") {
    const std::size_t second = rest.find(':');
    std::uint32_t packets = 0;
    good = second != std::string_view::npos && parse_number(rest.substr(0, second), packets) && packets > 0 &&
           packets <= 1'000'000;
    const std::string_view of = good ? rest.substr(second + 1) : std::string_view{};
    spec.kind = Kind::kMixed;
    if (good && !parse_share(of, spec.global_share)) {
      const Result<PatternSpec> inner = parse_pattern(of);
      good = inner.has_value() && !inner->burst;
      if (good) spec = *inner;
    }
    spec.burst = packets;
  }
  if (!good)
    return fail(
        fmt::format("\"{}\" is not a traffic pattern", text),
        "use un, advg:N, advl:N with N above 0, mixed:P with P from 0 to 1, burst:B:P or burst:B:WORD with B packets");
  return spec;
}

Result<std::shared_ptr<const Pattern>> make_pattern(const PatternSpec& spec, const Network& network,
                                                    const Dragonfly* dragonfly) {
  using Kind = PatternSpec::Kind;
  if (network.num_nodes() < 2) return fail("the fabric has fewer than two hosts");
  if (spec.kind == Kind::kUniform) return std::make_shared<Uniform>(network);
  if (dragonfly == nullptr) return fail("this traffic goes between groups, but the fabric is not a dragonfly");
  switch (spec.kind) {
    case Kind::kAdversarialGlobal:
      if (spec.shift % dragonfly->num_groups() == 0) return fail("advg:N with N a multiple of the number of groups");
      return adversarial_global(network, *dragonfly, spec.shift);
    case Kind::kAdversarialLocal:
      if (spec.shift % dragonfly->group_size() == 0) return fail("advl:N with N a multiple of the size of groups");
      return adversarial_local(network, *dragonfly, spec.shift);
    default:
      return std::make_shared<Mixed>(spec.global_share,
                                     adversarial_global(network, *dragonfly, global_links(network, *dragonfly)),
                                     adversarial_local(network, *dragonfly, 1));
  }
}

}  // namespace espalier::packets
