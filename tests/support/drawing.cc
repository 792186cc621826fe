// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/support/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/fabric/fabric_builder.h"

namespace espalier::test {
namespace {

constexpr LinkRate kRate{4, LinkSpeed::kEdr};
constexpr std::uint64_t kSwitchGuids = 0x0002c90000000001;
constexpr std::uint64_t kEndportGuids = 0x0002c90100000000;
constexpr std::uint64_t kEndportStride = 16;

class Sketch {
 public:
  void add(const std::string& word) {
    const std::size_t mark = word.find_first_of("-:=", 1);
    const std::string left = word.substr(0, mark);
    const std::string right = mark == std::string::npos ? "" : word.substr(mark + 1);
    if (mark == std::string::npos) {
      find_or_add(left);
    } else if (right.empty() || left.empty()) {
      throw std::invalid_argument("drawing: " + word);
    } else if (word[mark] == '-') {
      const auto a = find_or_add(left);
      const auto b = find_or_add(right);
      const PortNum a_port = take_port(a);
      builder_.connect(a, a_port, b, take_port(b), kRate);
    } else if (word[mark] == '=') {
      const Guid node = next_node();
      plug(left, add_endport(node, 1, next_host()));
      plug(right,
           add_endport(node, 2,
                       builder_.at(id_at<FabricBuilder::EndportHandle>(builder_.num_endports() - 1)).description));
    } else if (right == "an") {
      aggregation_nodes_.push_back(find_or_add(left));
    } else if (right == "router") {
      const auto e = add_endport(next_node(), 1, "router");
      builder_.at(e).kind = EndportKind::kRouter;
      plug(left, e);
    } else {
      for (unsigned count = number(right, word); count > 0; --count) {
        const auto e = add_endport(next_node(), 1, next_host());
        if (left != "-") plug(left, e);
      }
    }
  }

  Fabric finish(std::uint8_t lmc) && {
    for (const auto s : aggregation_nodes_)
      builder_.connect(s, take_port(s), add_endport(next_node(), 1, "Mellanox Technologies Aggregation Node"), kRate);
    for (const auto& [name, s] : switches_) builder_.at(s).num_ports = used_[s];
    const Status numbered = builder_.assign_lids(lmc, FabricBuilder::Numbering::kRenumber);
    if (!numbered) throw std::invalid_argument(numbered.error().text());
    Result<Fabric> fabric = std::move(builder_).build();
    if (!fabric) throw std::invalid_argument(fabric.error().text());
    return *std::move(fabric);
  }

 private:
  using SwitchHandle = FabricBuilder::SwitchHandle;
  using EndportHandle = FabricBuilder::EndportHandle;

  static unsigned number(const std::string& digits, const std::string& word) {
    unsigned value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || rest != digits.data() + digits.size()) throw std::invalid_argument("drawing: " + word);
    return value;
  }

  SwitchHandle find_or_add(const std::string& name) {
    const auto known = switches_.find(name);
    if (known != switches_.end()) return known->second;
    Switch s;
    s.guid = Guid{kSwitchGuids + switches_.size()};
    s.description = name;
    used_.push_back(0);
    return switches_[name] = builder_.add_switch(std::move(s));
  }

  EndportHandle add_endport(Guid node, unsigned port, std::string description) {
    Endport e;
    e.node_guid = node;
    e.port_guid = Guid{index(node) + port};
    e.port = id_at<PortNum>(port);
    e.description = std::move(description);
    return builder_.add_endport(std::move(e));
  }

  void plug(const std::string& name, EndportHandle e) {
    const SwitchHandle s = find_or_add(name);
    builder_.connect(s, take_port(s), e, kRate);
  }

  PortNum take_port(SwitchHandle s) { return id_at<PortNum>(++used_[s]); }
  Guid next_node() { return Guid{kEndportGuids + kEndportStride * num_nodes_++}; }
  std::string next_host() { return fmt::format("h{}", num_hosts_++); }

  FabricBuilder builder_;
  std::map<std::string, SwitchHandle> switches_;
  IdVector<SwitchHandle, std::uint8_t> used_;  // ports taken so far
  std::vector<SwitchHandle> aggregation_nodes_;
  std::uint64_t num_nodes_ = 0;
  std::uint64_t num_hosts_ = 0;
};

bool same(const Switch& a, const Switch& b) {
  return a.guid == b.guid && a.description == b.description && a.lid == b.lid && a.lmc == b.lmc &&
         a.num_ports == b.num_ports && a.port0 == b.port0 && a.lft_capacity == b.lft_capacity;
}

bool same(const Endport& a, const Endport& b) {
  return a.node_guid == b.node_guid && a.port_guid == b.port_guid && a.description == b.description &&
         a.port == b.port && a.kind == b.kind && a.lid == b.lid && a.lmc == b.lmc && a.leaf == b.leaf &&
         a.leaf_port == b.leaf_port;
}

}  // namespace

Fabric draw(std::string_view text, std::uint8_t lmc) {
  std::string blank_separated(text);
  std::replace(blank_separated.begin(), blank_separated.end(), ';', ' ');
  std::istringstream words(blank_separated);
  Sketch sketch;
  for (std::string word; words >> word;) sketch.add(word);
  return std::move(sketch).finish(lmc);
}

SwitchId switch_named(const Fabric& fabric, std::string_view description) {
  for (const SwitchId s : fabric.switches())
    if (fabric.at(s).description == description) return s;
  throw std::invalid_argument("no switch " + std::string(description));
}

EndportId endport_named(const Fabric& fabric, std::string_view description) {
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).description == description) return e;
  throw std::invalid_argument("no end port " + std::string(description));
}

Fabric with_lmc(const Fabric& fabric, std::uint8_t lmc) {
  FabricBuilder builder(fabric);
  const Status numbered = builder.assign_lids(lmc, FabricBuilder::Numbering::kRenumber);
  if (!numbered) throw std::invalid_argument(numbered.error().text());
  return std::move(builder).build().value();
}

Fabric shuffled(const Fabric& fabric, unsigned seed) {
  std::mt19937 random(seed);
  FabricBuilder builder;
  std::vector<SwitchId> switches;
  std::vector<EndportId> endports;
  for (const SwitchId s : fabric.switches()) switches.push_back(s);
  for (const EndportId e : fabric.endports()) endports.push_back(e);
  std::shuffle(switches.begin(), switches.end(), random);
  std::shuffle(endports.begin(), endports.end(), random);
  IdVector<SwitchId, FabricBuilder::SwitchHandle> s_handle(fabric.num_switches());
  IdVector<EndportId, FabricBuilder::EndportHandle> e_handle(fabric.num_endports());
  for (const SwitchId s : switches) s_handle[s] = builder.add_switch(fabric.at(s));
  for (const EndportId e : endports) e_handle[e] = builder.add_endport(fabric.at(e));
  for (const SwitchId s : switches)
    for (std::size_t p = fabric.at(s).num_ports; p >= 1; --p) {
      const Peer peer = fabric.peer(s, id_at<PortNum>(p));
      if (peer.is_endport()) builder.connect(s_handle[s], id_at<PortNum>(p), e_handle[peer.as_endport()]);
      if (peer.is_switch() && s < peer.as_switch())
        builder.connect(s_handle[peer.as_switch()], peer.port, s_handle[s], id_at<PortNum>(p));
    }
  return *std::move(builder).build();
}

bool identical(const Fabric& a, const Fabric& b) {
  if (a.num_switches() != b.num_switches() || a.num_endports() != b.num_endports() ||
      a.num_channels() != b.num_channels() || a.num_switch_links() != b.num_switch_links() ||
      a.top_lid() != b.top_lid())
    return false;
  for (const SwitchId s : a.switches())
    if (!same(a.at(s), b.at(s))) return false;
  for (const EndportId e : a.endports())
    if (!same(a.at(e), b.at(e))) return false;
  for (const ChannelId c : IdRange<ChannelId>(a.num_channels()))
    if (a.peer(c) != b.peer(c) || a.source(c) != b.source(c) ||
        a.rate(a.source(c), a.port(c)) != b.rate(b.source(c), b.port(c)))
      return false;
  return true;
}

}  // namespace espalier::test
