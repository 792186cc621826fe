// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_node_types accepts can be asked about any end port; what it refuses has file and line.
#include "core/io/lists/node_types_file.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rules = read_node_types(text, "fuzz.types");
  if (!rules) {
    expect(rules.error().file == "fuzz.types" && rules.error().line > 0, "an error without file or line");
    return 0;
  }
  Endport e;
  e.node_guid = Guid{0x2c900};
  e.port_guid = Guid{0x2c901};
  e.description = std::string(text.substr(0, 64));
  for (const NodeTypeRule& rule : rules->rules) {
    expect(!rule.type.empty() && !rule.origin.empty(), "a rule without type or origin");
    expect(rule.matches(e) == rule.matches(e), "a rule that cannot decide");
  }
  return 0;
}
