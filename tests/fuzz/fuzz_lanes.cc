// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_lanes accepts has service levels and lanes in range for all LIDs and ports, and reads back the same.
#include "core/io/lanes/lanes_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const auto lanes = read_lanes(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.lanes", fabric);
  if (!lanes) {
    expect(lanes.error().file == "fuzz.lanes" && lanes.error().line > 0, "an error without file or line");
    return 0;
  }
  expect(lanes->num_vls() >= 1 && lanes->num_vls() <= kDiscardVl, "lanes out of range");
  for (std::size_t from = 0; from <= index(fabric.top_lid()); ++from)
    for (std::size_t to = 0; to <= index(fabric.top_lid()); ++to)
      expect(lanes->sl(id_at<Lid>(from), id_at<Lid>(to)) < kNumSls, "a service level out of range");
  for (const SwitchId s : fabric.switches())
    for (std::size_t in = 0; in <= fabric.at(s).num_ports; ++in)
      for (std::size_t out = 0; out <= fabric.at(s).num_ports; ++out)
        for (std::uint8_t sl = 0; sl < kNumSls; ++sl)
          expect(lanes->vl(s, id_at<PortNum>(in), id_at<PortNum>(out), sl) <= kDiscardVl, "a lane out of range");
  const std::string text = write_lanes(fabric, *lanes);
  const auto again = read_lanes(text, "written.lanes", fabric);
  expect(again && write_lanes(fabric, *again) == text, "other lanes");
  return 0;
}
