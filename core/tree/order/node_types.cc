// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tree/order/node_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/fabric/endport_role.h"

namespace espalier {
namespace {

constexpr std::size_t kNamedInWarning = 3;

// Types by name, in the order of the numbering.
class TypeNumbers {
 public:
  explicit TypeNumbers(const NodeTypeRules& rules) : weights_(rules.weights) {
    for (const std::string& name : rules.order) of(name);
    of(rules.others);
    for (const NodeTypeRule& rule : rules.rules) of(rule.type);
  }
  NodeTypeId of(const std::string& name) {
    const auto [it, added] = ids_.try_emplace(name, id_at<NodeTypeId>(types_.size()));
    if (added) {
      const auto weight = weights_.find(name);
      types_.push_back({name, weight == weights_.end() ? 1 : weight->second});
    }
    return it->second;
  }
  [[nodiscard]] const IdVector<NodeTypeId, NodeType>& types() const { return types_; }

 private:
  const std::map<std::string, std::uint32_t>& weights_;
  std::map<std::string, NodeTypeId> ids_;
  IdVector<NodeTypeId, NodeType> types_;
};

std::int32_t deciding_rule(const Endport& e, const std::vector<NodeTypeRule>& rules) {
  if (is_aggregation_node(e)) return NodeTypeAssignment::kAutomatic;
  const auto it = std::find_if(rules.begin(), rules.end(), [&](const NodeTypeRule& rule) { return rule.matches(e); });
  if (it != rules.end()) return static_cast<std::int32_t>(it - rules.begin());
  return e.kind == EndportKind::kRouter ? NodeTypeAssignment::kAutomatic : NodeTypeAssignment::kNoRule;
}

// Types that have a weight or a place in the order, but that nobody can be of: misspelled.
std::vector<std::string> warn_of_unused(const NodeTypeRules& rules) {
  std::set<std::string> given{rules.others, "router", "aggregation-node"};
  for (const NodeTypeRule& rule : rules.rules) given.insert(rule.type);
  std::vector<std::string> all;
  for (const auto& [type, weight] : rules.weights)
    if (!given.contains(type)) all.push_back(fmt::format("type {} has a weight, but no rule gives it to a host", type));
  for (const std::string& type : rules.order)
    if (!given.contains(type))
      all.push_back(fmt::format("type {} is in the order, but no rule gives it to a host", type));
  return all;
}

}  // namespace

Result<NodeTypeAssignment> assign_node_types(const Fabric& fabric, const NodeTypeRules& rules) {
  NodeTypeAssignment result;
  result.rule = IdVector<EndportId, std::int32_t>(fabric.num_endports());
  parallel_blocks(fabric.num_endports(), 64, [&](std::size_t first, std::size_t last) {
    for (std::size_t e = first; e < last; ++e)
      result.rule[id_at<EndportId>(e)] = deciding_rule(fabric.at(id_at<EndportId>(e)), rules.rules);
  });

  TypeNumbers numbers(rules);
  result.matches.assign(rules.rules.size(), 0);
  result.types.of_endport = IdVector<EndportId, NodeTypeId>(fabric.num_endports());
  for (const EndportId e : fabric.endports()) {
    const std::int32_t rule = result.rule[e];
    if (rule >= 0) ++result.matches[static_cast<std::size_t>(rule)];
    result.types.of_endport[e] = numbers.of(rule >= 0 ? rules.rules[static_cast<std::size_t>(rule)].type
                                            : rule == NodeTypeAssignment::kNoRule ? rules.others
                                            : is_aggregation_node(fabric.at(e))   ? "aggregation-node"
                                                                                  : "router");
  }
  result.types.types = numbers.types();
  if (result.types.types.size() > std::numeric_limits<std::underlying_type_t<NodeTypeId>>::max())
    return fail(
        fmt::format("there are {}, but at most 65535 are possible", counted(result.types.types.size(), "node type")));
  return result;
}

std::vector<std::string> NodeTypeAssignment::warnings(const Fabric& fabric, const NodeTypeRules& rules) const {
  std::vector<std::string> all = warn_of_unused(rules);
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i] == 0)
      all.push_back(fmt::format("{}: no end port gets type {} by \"{}\"", rules.rules[i].origin, rules.rules[i].type,
                                rules.rules[i].text));
  if (rules.others_are_meant || rules.rules.empty()) return all;
  std::size_t unmatched = 0;
  std::string examples;
  for (const EndportId e : fabric.endports())
    if (rule[e] == kNoRule && is_host(fabric.at(e)) && unmatched++ < kNamedInWarning)
      examples += (examples.empty() ? "" : ", ") + fabric.label(e);
  if (unmatched > 0)
    all.push_back(fmt::format("no rule matches {}, typed as {}: {}{}", counted(unmatched, "host"), rules.others,
                              examples, unmatched > kNamedInWarning ? ", ..." : ""));
  return all;
}

IdVector<NodeTypeId, std::uint8_t> small_types(const NodeTypes& types, std::span<const EndportId> hosts) {
  IdVector<NodeTypeId, std::size_t> count(types.types.size());
  for (const EndportId e : hosts) ++count[types.of_endport[e]];
  IdVector<NodeTypeId, std::uint8_t> small(types.types.size());
  for (const NodeTypeId type : small.ids()) small[type] = count[type] * 4 < hosts.size() ? 1 : 0;
  return small;
}

}  // namespace espalier
