// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever reference is accepted is written and reads back the same. So that mutations get past the checksum, they get
// a good one first.
#include "core/repair/reference_file.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  std::string content(reinterpret_cast<const char*>(data), size);
  if (content.starts_with("ESPREFER") && size >= 32) {
    const std::uint64_t checksum = reference_checksum(content);
    for (std::size_t i = 0; i < 8; ++i) {
      content[16 + i] = static_cast<char>(std::uint64_t{size} >> (8 * i) & 0xFF);
      content[24 + i] = static_cast<char>(checksum >> (8 * i) & 0xFF);
    }
  }
  const auto reference = read_reference(content, "fuzz");
  if (!reference) {
    expect(reference.error().file == "fuzz" && !reference.error().message.empty(), "an error without file or message");
    return 0;
  }
  const auto again = read_reference(write_reference(*reference), "written");
  expect(again.has_value() && again->tables == reference->tables, "other tables from the written file");
  return 0;
}
