// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever the plugin's options file holds, it is options or an error with file and line.
#include "plugin/config.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_config(text, "fuzz.conf");
  if (!config) {
    expect(config.error().file == "fuzz.conf" && config.error().line > 0, "an error without file or line");
    expect(!config.error().message.empty(), "an error without message");
    return 0;
  }
  const auto again = parse_config(text, "fuzz.conf");
  expect(again && *again == *config, "options that change");
  return 0;
}
