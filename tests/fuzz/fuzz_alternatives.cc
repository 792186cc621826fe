// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_alternatives accepts has ports that the switches have, and reads back the same.
#include "core/io/lanes/alternatives_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const auto ports = read_alternatives(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.alt", fabric);
  if (!ports) {
    expect(ports.error().file == "fuzz.alt" && ports.error().line > 0, "an error without file or line");
    return 0;
  }
  for (const SwitchId s : fabric.switches())
    for (std::size_t lid = 0; lid <= index(fabric.top_lid()); ++lid)
      expect((ports->at(s, id_at<Lid>(lid)) >> (std::size_t{fabric.at(s).num_ports} + 1)).none(),
             "a port out of range");
  const std::string text = write_alternatives(fabric, *ports);
  const auto again = read_alternatives(text, "written.alt", fabric);
  expect(again && write_alternatives(fabric, *again) == text, "other ports");
  return 0;
}
