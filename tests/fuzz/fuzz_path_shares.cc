// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_path_shares accepts leads from its source to its destination, and reads back the same.
#include "core/io/lists/path_shares_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const auto shares =
      read_path_shares(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.paths", fabric);
  if (!shares) {
    expect(shares.error().file == "fuzz.paths" && shares.error().line > 0, "an error without file or line");
    return 0;
  }
  for (const PathShare& share : *shares) {
    expect(share.weight > 0, "a weight that is none");
    const SwitchId end = share.switches.empty() ? fabric.at(share.from).leaf : share.switches.back();
    expect(end == fabric.at(share.to).leaf, "a path to somebody else");
  }
  const std::string text = write_path_shares(fabric, *shares);
  const auto again = read_path_shares(text, "written.paths", fabric);
  expect(again && write_path_shares(fabric, *again) == text, "other paths");
  return 0;
}
