// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_net accepts and builds, write_net writes, and it reads back without a warning about cables as the
// same fabric and the same text.
#include "core/io/net/net_reader.h"
#include "core/io/net/net_writer.h"
#include "tests/fuzz/expect.h"
#include "tests/support/same_fabric.h"

namespace espalier {
namespace {

void round_trip(std::string_view text, PortGuids port_guids) {
  Result<ParsedNet> net = read_net(text, "fuzz.net", port_guids);
  if (!net) {
    expect(net.error().file == "fuzz.net" && !net.error().message.empty(), "an error without file or message");
    return;
  }
  for (const Error& warning : net->warnings)
    expect(warning.line > 0 && warning.file == "fuzz.net", "a warning without a line");
  const Result<Fabric> fabric = std::move(net->builder).build();
  if (!fabric) return;

  const std::string written = write_net(*fabric);
  if (fabric->num_switches() + fabric->num_endports() == 0) return;
  Result<ParsedNet> again = read_net(written, "written.net", PortGuids::kAsWritten);
  expect(again.has_value(), again ? "" : again.error().text() + "\n" + written);
  const Result<Fabric> same = std::move(again->builder).build();
  expect(same.has_value(), same ? "" : same.error().text());
  expect(difference(*fabric, *same).empty(), difference(*fabric, *same) + "\n" + written);
  expect(write_net(*same) == written, "written twice, two texts");
}

}  // namespace
}  // namespace espalier

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  espalier::round_trip(text, espalier::PortGuids::kNodePlusPort);
  espalier::round_trip(text, espalier::PortGuids::kAsWritten);
  return 0;
}
