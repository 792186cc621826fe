// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_guids accepts, write_guids writes and it reads back the same.
#include "core/io/lists/guid_file.h"
#include "tests/fuzz/expect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  const auto guids = read_guids(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.guids");
  if (!guids) {
    expect(guids.error().file == "fuzz.guids" && guids.error().line > 0, "an error without file or line");
    return 0;
  }
  const auto again = read_guids(write_guids(*guids), "written.guids");
  expect(again && *again == *guids, "other GUIDs");
  return 0;
}
