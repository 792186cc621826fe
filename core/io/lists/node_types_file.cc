// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/node_types_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"
#include "core/io/lists/quoted_names.h"
#include "core/io/lists/rank_order.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

constexpr std::uint32_t kMaxTypeWeight = 1000;

constexpr std::string_view kTypeForms = "a line must be TYPE guid|name|nodes|router ..., order, weight or others";

bool is_type_name(std::string_view word) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || io::is_digit(c) || c == '_' || c == '-' || c == '.';
  };
  return !word.empty() && word.size() <= 64 && std::all_of(word.begin(), word.end(), is_good) && word != "order" &&
         word != "weight" && word != "others";
}

Result<Guid> parse_guid(std::string_view word) {
  const bool prefixed = word.substr(0, 2) == "0x" || word.substr(0, 2) == "0X";
  const auto value = io::parse_hex(word);
  if (!prefixed || !value || *value == 0)
    return fail(fmt::format("\"{}\" is not a GUID", word), "write 0x and up to 16 hexadecimal digits");
  return Guid{*value};
}

Status read_guid_range(std::string_view word, NodeTypeRule& rule) {
  const std::size_t dash = word.find('-');
  ESPALIER_TRY(const Guid first, parse_guid(word.substr(0, dash)));
  ESPALIER_TRY(const Guid last, dash == word.npos ? Result<Guid>(first) : parse_guid(word.substr(dash + 1)));
  if (last < first) return fail(fmt::format("\"{}\" ends before it begins", word));
  rule.kind = NodeTypeRule::Kind::kGuidRange;
  rule.first = first;
  rule.last = last;
  return {};
}

// The polynomial automaton of libstdc++: the other takes exponential time on "(a*)*b", and this runs under the subnet
// manager's lock. It knows no back references.
Status read_regex(std::string_view text, NodeTypeRule& rule) {
  if (text.size() > kMaxRegexLength)
    return fail(
        fmt::format("the regular expression has {} characters; at most {} are allowed", text.size(), kMaxRegexLength));
  try {
    // With a terminator: libstdc++ looks at what follows a last "(" before it asks whether anything does.
    const std::string pattern(text);
    rule.regex = std::make_shared<const std::regex>(
        pattern.begin(), pattern.end(), std::regex_constants::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error& error) {
    return fail(fmt::format("\"{}\" is not a supported regular expression: {}", text, error.what()),
                "use ECMAScript syntax without back references");
  }
  rule.kind = NodeTypeRule::Kind::kName;
  return {};
}

Status read_hosts(std::string_view list, NodeTypeRule& rule) {
  ESPALIER_TRY(std::vector<std::string> names, expand_host_list(list));
  rule.kind = NodeTypeRule::Kind::kHosts;
  rule.hosts.insert(names.begin(), names.end());
  return {};
}

// `subject`: what the rule is about, and `forms`: what its line may be, for messages.
Result<NodeTypeRule> read_rule_about(std::string_view subject, std::string_view forms, std::string_view text) {
  NodeTypeRule rule;
  rule.text = std::string(text);
  io::Scanner line(text);
  const std::string_view kind = line.eat_word();
  line.skip_blanks();
  const std::string_view value = line.rest();
  const bool one_word = std::none_of(value.begin(), value.end(), io::is_blank);
  Status ok;
  if (kind == "router" && value.empty()) {
    rule.kind = NodeTypeRule::Kind::kRouter;
  } else if (kind == "guid" && !value.empty() && one_word) {
    ok = read_guid_range(value, rule);
  } else if (kind == "name" && !value.empty()) {
    ok = read_regex(value, rule);
  } else if (kind == "nodes" && !value.empty() && io::find_unquoted(value, io::kBlanks) == value.npos) {
    ok = read_hosts(value, rule);
  } else {
    ok = fail(fmt::format("\"{}\" is not a rule for {}", rule.text, subject), std::string(forms));
  }
  if (!ok) return tl::unexpected(ok.error());
  return rule;
}

// Reads one line into `rules`.
class LineReader {
 public:
  LineReader(std::string_view line, NodeTypeRules& rules) : line_(line), rules_(rules) {}

  Status read() {
    line_.skip_blanks();
    const std::string_view first = line_.eat_word();
    line_.skip_blanks();
    if (first == "order") return read_order();
    if (first == "weight") return read_weight();
    if (first == "others") return read_others();
    if (!is_type_name(first))
      return fail(fmt::format("\"{}\" is not a valid name for a type", first),
                  "use up to 64 letters, digits and . _ -");
    return read_rule(std::string(first));
  }

 private:
  Result<std::string> type() {
    const std::string_view word = line_.eat_word();
    line_.skip_blanks();
    if (!is_type_name(word))
      return fail(fmt::format("\"{}\" is not a valid name for a type", word), "use up to 64 letters, digits and . _ -");
    return std::string(word);
  }

  Status read_order() {
    if (!rules_.order.empty()) return fail("order is given twice");
    do {
      ESPALIER_TRY(std::string name, type());
      if (std::find(rules_.order.begin(), rules_.order.end(), name) != rules_.order.end())
        return fail(fmt::format("{} is listed twice", name));
      rules_.order.push_back(std::move(name));
    } while (!line_.done());
    return {};
  }

  Status read_weight() {
    ESPALIER_TRY(const std::string name, type());
    const auto number = line_.eat_number<std::uint32_t>();
    if (!number || !line_.done() || *number == 0 || *number > kMaxTypeWeight)
      return fail(fmt::format("the weight of {} must be a number from 1 to {}", name, kMaxTypeWeight));
    if (!rules_.weights.emplace(name, *number).second) return fail(fmt::format("{} already has a weight", name));
    return {};
  }

  Status read_others() {
    if (rules_.others_are_meant) return fail("others is given twice");
    ESPALIER_TRY(std::string name, type());
    if (!line_.done()) return fail("others takes exactly one type");
    rules_.others = std::move(name);
    rules_.others_are_meant = true;
    return {};
  }

  Status read_rule(std::string type) {
    ESPALIER_TRY(NodeTypeRule rule, read_rule_about(type, kTypeForms, line_.rest()));
    rule.type = std::move(type);
    rules_.rules.push_back(std::move(rule));
    return {};
  }

  io::Scanner line_;
  NodeTypeRules& rules_;
};

}  // namespace

Result<NodeTypeRule> read_node_rule(std::string_view text, std::string_view forms) {
  return read_rule_about("switches", forms, text);
}

Result<NodeTypeRules> read_node_types(std::string_view text, const std::string& file_name) {
  NodeTypeRules rules;
  io::Lines lines(text);
  while (const auto next = lines.next()) {
    const std::string_view line = io::without_comment_word(*next);
    if (std::all_of(line.begin(), line.end(), io::is_blank)) continue;
    const std::size_t before = rules.rules.size();
    if (Status ok = LineReader(line, rules).read(); !ok)
      return fail_at(file_name, lines.number(), ok.error().message, ok.error().advice);
    if (rules.rules.size() > before) rules.rules.back().origin = fmt::format("{}:{}", file_name, lines.number());
  }
  return rules;
}

}  // namespace espalier
