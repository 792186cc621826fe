// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_switch_rules accepts can be asked about any switch; what it refuses has file and line.
#include "core/io/lists/switch_rules_file.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = read_switch_rules(text, "fuzz.rules");
  if (!rules) {
    expect(rules.error().file == "fuzz.rules" && rules.error().line > 0, "an error without file or line");
    return 0;
  }
  expect(rules->spine_threshold >= 0 && rules->spine_threshold <= 1, "a threshold out of range");
  Switch s;
  s.guid = Guid{0x2c900};
  s.description = std::string(text.substr(0, 64));
  const auto decides = [&](const NodeTypeRule& rule) {
    expect(rule.matches(s) == rule.matches(s), "a rule that cannot decide");
  };
  for (const NodeTypeRule& rule : rules->roots) decides(rule);
  for (const NodeTypeRule& rule : rules->excluded) decides(rule);
  for (const SwitchRules::Rank& rank : rules->ranks) decides(rank.rule);
  return 0;
}
