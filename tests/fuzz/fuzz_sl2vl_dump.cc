// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_sl2vl_dump accepts has a lane in range for all ports and service levels.
#include "core/io/lanes/sl2vl_dump.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const auto tables = read_sl2vl_dump(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.dump", fabric);
  if (!tables) {
    expect(tables.error().file == "fuzz.dump" && tables.error().line > 0, "an error without file or line");
    return 0;
  }
  const LaneMaps maps = tables->maps();
  for (const SwitchId s : fabric.switches())
    for (std::size_t in = 0; in <= fabric.at(s).num_ports; ++in)
      for (std::size_t out = 0; out <= fabric.at(s).num_ports; ++out)
        for (const std::uint8_t vl : maps.vls(s, id_at<PortNum>(in), id_at<PortNum>(out)))
          expect(vl <= kDiscardVl, "a lane out of range");
  return 0;
}
