// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/switch_rules_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/number.h"
#include "core/base/try.h"
#include "core/io/lists/node_types_file.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr unsigned kMaxRank = 62;  // InfiniBand packets make at most 64 hops
constexpr std::string_view kRuleForms =
    "a line must be root RULE, rank N RULE, exclude RULE or spine_threshold X; a RULE is guid 0xG, guid 0xG-0xH, name "
    "REGEX "
    "or nodes HOSTLIST";

Result<NodeTypeRule> rule_for_switches(std::string_view text) {
  Result<NodeTypeRule> rule = read_node_rule(text, kRuleForms);
  if (rule && rule->kind == NodeTypeRule::Kind::kRouter)
    return fail("routers are not switches", std::string(kRuleForms));
  return rule;
}

Status add_rule(std::string_view text, std::vector<NodeTypeRule>& rules) {
  ESPALIER_TRY(NodeTypeRule rule, rule_for_switches(text));
  rules.push_back(std::move(rule));
  return {};
}

Status set_threshold(std::string_view word, SwitchRules& rules) {
  const std::optional<double> share = parse_number(word, 0.0, 1.0);
  if (!share) return fail(fmt::format("spine_threshold must be a number from 0 to 1, not \"{}\"", word));
  rules.spine_threshold = *share;
  return {};
}

}  // namespace

bool is_switch_rule(std::string_view key) {
  return key == "root" || key == "rank" || key == "exclude" || key == "spine_threshold";
}

Status read_switch_rule(std::string_view text, SwitchRules& rules) {
  io::Scanner line(io::trim_right(text));
  line.skip_blanks();
  const std::string_view key = line.eat_word();
  line.skip_blanks();
  if (key == "root") return add_rule(line.rest(), rules.roots);
  if (key == "exclude") return add_rule(line.rest(), rules.excluded);
  if (key == "spine_threshold") return set_threshold(line.rest(), rules);
  if (key != "rank") return fail(fmt::format("no line begins with \"{}\"", key), std::string(kRuleForms));
  const auto rank = line.eat_number<unsigned>();
  if (!rank || *rank > kMaxRank) return fail(fmt::format("a rank must be a number from 0 to {}", kMaxRank));
  line.skip_blanks();
  ESPALIER_TRY(NodeTypeRule rule, rule_for_switches(line.rest()));
  rules.ranks.push_back({*rank, std::move(rule)});
  return {};
}

Result<SwitchRules> read_switch_rules(std::string_view text, const std::string& file_name) {
  SwitchRules rules;
  io::Lines lines(text);
  while (const auto next = lines.next()) {
    const std::string_view line = io::without_comment_word(*next);
    if (std::all_of(line.begin(), line.end(), io::is_blank)) continue;
    if (Status ok = read_switch_rule(line, rules); !ok)
      return fail_at(file_name, lines.number(), ok.error().message, ok.error().advice);
  }
  return rules;
}

}  // namespace espalier
