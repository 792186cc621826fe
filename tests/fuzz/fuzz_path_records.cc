// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_path_records accepts has a service level in range for all pairs of LIDs.
#include "core/io/lanes/path_records.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  auto levels = read_path_records(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.records", fabric);
  if (!levels) {
    expect(levels.error().file == "fuzz.records" && levels.error().line > 0, "an error without file or line");
    return 0;
  }
  const std::size_t num_lids = index(fabric.top_lid());
  expect(levels->num_unknown() <= num_lids * num_lids, "more unknown pairs than there are");
  const ServiceLevels sls = levels->take();
  for (std::size_t from = 0; from <= num_lids; ++from)
    for (std::size_t to = 0; to <= num_lids; ++to)
      expect(sls.at(id_at<Lid>(from), id_at<Lid>(to)) < kNumSls, "a service level out of range");
  return 0;
}
