// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_source_offsets accepts has offsets below the product of its radices, and reads back the same.
#include "core/io/lists/source_offsets_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const auto offsets =
      read_source_offsets(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.offsets", fabric);
  if (!offsets) {
    expect(offsets.error().file == "fuzz.offsets" && offsets.error().line > 0, "an error without file or line");
    return 0;
  }
  std::size_t most = 1;
  for (const std::uint32_t radix : offsets->radices) most *= radix;
  for (const EndportId a : fabric.endports())
    for (const EndportId b : fabric.endports()) {
      expect(offsets->offset(a, b) < most, "an offset beyond the radices");
      expect(a != b || offsets->offset(a, b) == 0, "a path around to oneself");
    }
  const auto again = read_source_offsets(write_source_offsets(fabric, *offsets), "written.offsets", fabric);
  expect(again && *again == *offsets, "other offsets");
  return 0;
}
