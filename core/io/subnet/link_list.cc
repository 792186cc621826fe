// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/subnet/link_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/node_description.h"

namespace espalier::io {

std::uint32_t LinkList::port(const LinkEnd& end, int line) {
  const auto node_at = node_of_.emplace(std::pair(end.kind == NodeKind::kSwitch, end.node), nodes_.size());
  if (node_at.second) {
    nodes_.emplace_back();
    nodes_.back().kind = end.kind;
    nodes_.back().guid = end.node;
  }
  Node& node = nodes_[node_at.first->second];
  if (node.name.empty()) node.name = end.name;
  node.num_ports = std::max(node.num_ports, end.num_ports);
  if (node.line == 0 || end.port > node.top_port) {
    node.top_port = end.port;
    node.line = line;
  }
  const auto port_at = port_of_.emplace(std::pair(node_at.first->second, end.port), ports_.size());
  if (port_at.second) {
    ports_.emplace_back();
    ports_.back().node = node_at.first->second;
    ports_.back().number = end.port;
    ports_.back().guid = end.port_guid;
  }
  Port& port = ports_[port_at.first->second];
  note_lid(end.kind == NodeKind::kSwitch ? node.lid : port.lid, end, line);
  return port_at.first->second;
}

void LinkList::note_lid(Lid& lid, const LinkEnd& end, int line) {
  if (end.odd_lid != 0)
    warn(line, fmt::format("\"{}\"[{}] has {} for a LID, which is none (1 to {}); it is taken to have none", end.name,
                           index(end.port), end.odd_lid, index(kMaxUnicastLid)));
  if (lid == kNoLid) {
    lid = end.lid;
  } else if (end.lid != kNoLid && end.lid != lid) {
    warn(line, fmt::format("\"{}\"[{}] has LID {} here, but {} elsewhere; using {}", end.name, index(end.port),
                           index(end.lid), index(lid), index(lid)));
  }
}

void LinkList::add(const LinkEnd& own, int line) {
  const std::uint32_t here = port(own, line);
  lines_.push_back({here, here, false, {}, line});
}

void LinkList::add(const LinkEnd& own, const LinkEnd& peer, LinkRate rate, int line) {
  const std::uint32_t here = port(own, line);
  const std::uint32_t there = port(peer, line);
  lines_.push_back({here, there, true, rate, line});
}

std::string LinkList::name(std::uint32_t port) const {
  return fmt::format("\"{}\"[{}]", nodes_[ports_[port].node].name, index(ports_[port].number));
}

bool LinkList::is_switch(std::uint32_t port) const { return nodes_[ports_[port].node].kind == NodeKind::kSwitch; }

// Each port has one line of its own, and the two ends of a link say the same.
Status LinkList::check_lines() const {
  const auto number = [&](std::int64_t line) { return lines_[static_cast<std::size_t>(line)].number; };
  for (const Line& line : lines_) {
    const Line& first = lines_[static_cast<std::size_t>(ports_[line.own].own_line)];
    if (&first != &line)
      return fail_at(file_name_, line.number,
                     fmt::format("a second line for {}; the first is line {}", name(line.own), first.number));
    if (!line.cabled || line.own == line.peer) continue;
    const std::int64_t back = ports_[line.peer].own_line;
    if (back >= 0 && lines_[static_cast<std::size_t>(back)].cabled) {
      const std::uint32_t said = lines_[static_cast<std::size_t>(back)].peer;
      if (said != line.own)
        return fail_at(file_name_, line.number,
                       fmt::format("{} is cabled to {}, but line {} says that the latter is cabled to {}",
                                   name(line.own), name(line.peer), number(back), name(said)),
                       "correct one of the two lines");
    } else if (const std::int64_t rival = ports_[line.peer].peer_line; number(rival) != line.number) {
      return fail_at(
          file_name_, line.number,
          fmt::format("{} and line {} both have a cable to {}", name(line.own), number(rival), name(line.peer)));
    }
  }
  return {};
}

Status LinkList::check_ports() const {
  for (const Node& node : nodes_)
    if (node.num_ports != 0 && index(node.top_port) > node.num_ports)
      return fail_at(file_name_, node.line,
                     fmt::format("port {} of \"{}\", which has only {}", index(node.top_port), node.name,
                                 counted(node.num_ports, "port")));
  return {};
}

void LinkList::add_nodes(FabricBuilder& builder) {
  for (Node& node : nodes_) {
    if (node.kind != NodeKind::kSwitch) continue;
    Switch s;
    s.guid = node.guid;
    s.description = clean_description(node.name);
    s.num_ports = node.num_ports != 0 ? node.num_ports : static_cast<std::uint8_t>(node.top_port);
    s.lid = node.lid;
    node.handle = builder.add_switch(std::move(s));
  }
  for (std::uint32_t p = 0; p < ports_.size(); ++p) {
    if (is_switch(p)) continue;
    const Node& node = nodes_[ports_[p].node];
    Endport e;
    e.node_guid = node.guid;
    e.port_guid = ports_[p].guid;
    e.description = clean_description(node.name);
    e.port = ports_[p].number;
    e.lid = ports_[p].lid;
    if (node.kind == NodeKind::kRouter) e.kind = EndportKind::kRouter;
    ports_[p].handle = builder.add_endport(std::move(e));
  }
}

void LinkList::connect(FabricBuilder& builder, const Line& line) {
  const Port& own = ports_[line.own];
  const Port& peer = ports_[line.peer];
  if (line.own == line.peer)
    return warn(line.number, fmt::format("{} is cabled to itself; the cable is ignored", name(line.own)));
  LinkRate rate = line.rate;
  if (peer.own_line >= 0 && lines_[static_cast<std::size_t>(peer.own_line)].cabled) {
    const Line& back = lines_[static_cast<std::size_t>(peer.own_line)];
    if (back.number < line.number) return;  // done there
    if (rate == LinkRate{}) rate = back.rate;
  } else if (ends_ == Ends::kBoth) {
    warn(line.number, fmt::format("only {} lists its cable to {}", name(line.own), name(line.peer)));
  }
  if (is_switch(line.own) && is_switch(line.peer))
    builder.connect(nodes_[own.node].handle, own.number, nodes_[peer.node].handle, peer.number, rate);
  else if (is_switch(line.own))
    builder.connect(nodes_[own.node].handle, own.number, peer.handle, rate);
  else if (is_switch(line.peer))
    builder.connect(nodes_[peer.node].handle, peer.number, own.handle, rate);
  else
    warn(line.number, fmt::format("{} and {} are connected back to back without a switch; no route leads there",
                                  name(line.own), name(line.peer)));
}

Result<ParsedNet> LinkList::finish() && {
  for (std::size_t i = lines_.size(); i-- > 0;) {
    ports_[lines_[i].own].own_line = static_cast<std::int64_t>(i);
    if (lines_[i].cabled) ports_[lines_[i].peer].peer_line = static_cast<std::int64_t>(i);
  }
  for (const auto step : {&LinkList::check_ports, &LinkList::check_lines}) ESPALIER_TRY_STATUS((this->*step)());
  ParsedNet net;
  add_nodes(net.builder);
  for (const Line& line : lines_)
    if (line.cabled) connect(net.builder, line);
  net.warnings = std::move(warnings_);
  return net;
}

}  // namespace espalier::io
