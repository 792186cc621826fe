// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/fabric/rules/node_type_rules.h"

#include <algorithm>

namespace espalier {
namespace {

bool within(Guid guid, Guid first, Guid last) { return first <= guid && guid <= last; }

// "oss01" of "oss01.site.org mlx5_0".
std::string host_name(const std::string& description) {
  const std::size_t begin = std::min(description.find_first_not_of(" \t"), description.size());
  return description.substr(begin, std::min(description.find_first_of(" \t.", begin), description.size()) - begin);
}

// Only names in quotes have blanks.
bool is_listed(const std::set<std::string>& hosts, const std::string& description) {
  return hosts.contains(host_name(description)) ||
         (description.find(' ') != std::string::npos && hosts.contains(description));
}

}  // namespace

bool NodeTypeRule::matches(const Endport& e) const {
  switch (kind) {
    case Kind::kGuidRange:
      return within(e.port_guid, first, last) || within(e.node_guid, first, last);
    case Kind::kGuidList:
      return std::binary_search(ports.begin(), ports.end(), e.port_guid);
    case Kind::kName:
      return std::regex_search(e.description, *regex);
    case Kind::kHosts:
      return is_listed(hosts, e.description);
    case Kind::kRouter:
      return e.kind == EndportKind::kRouter;
  }
  return false;
}

bool NodeTypeRule::matches(const Switch& s) const {
  switch (kind) {
    case Kind::kGuidRange:
      return within(s.guid, first, last);
    case Kind::kName:
      return std::regex_search(s.description, *regex);
    case Kind::kHosts:
      return is_listed(hosts, s.description);
    case Kind::kGuidList:
    case Kind::kRouter:
      return false;
  }
  return false;
}

void add_guid_lists(NodeTypeRules& rules, GuidList io, GuidList compute) {
  const auto add = [&](const char* type, GuidList list) {
    if (list.ports.empty()) return;
    NodeTypeRule rule;
    rule.type = type;
    rule.kind = NodeTypeRule::Kind::kGuidList;
    rule.text = "list of port GUIDs";
    rule.origin = std::move(list.file);
    rule.ports = std::move(list.ports);
    std::sort(rule.ports.begin(), rule.ports.end());
    rules.rules.push_back(std::move(rule));
  };
  if (!compute.ports.empty() && !rules.others_are_meant) {
    if (rules.order.empty()) rules.order.push_back("compute");
    rules.others = "other";
  }
  if (rules.rules.empty()) rules.others_are_meant = true;
  add("io", std::move(io));
  add("compute", std::move(compute));
}

}  // namespace espalier
