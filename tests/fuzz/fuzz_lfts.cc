// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever tables read_lfts accepts for a small fabric, write_lfts and write_fdbs write, and they read back the same;
// and read_lft_text, which asks less, accepts them, too.
#include "core/fabric/fabric_builder.h"
#include "core/io/fdbs_writer.h"
#include "core/io/lft_dump.h"
#include "core/io/lft_text.h"
#include "tests/fuzz/expect.h"

namespace espalier {
namespace {

// Two switches with a host each, LIDs 1 to 4; the seeds speak of it.
Fabric two_switches() {
  FabricBuilder builder;
  const auto add_pair = [&](std::uint64_t n) {
    Switch s;
    s.guid = Guid{0x100 + n};
    s.num_ports = 8;
    Endport e;
    e.node_guid = Guid{0x200 + 16 * n};
    e.port_guid = Guid{0x201 + 16 * n};
    const auto here = builder.add_switch(s);
    builder.connect(here, PortNum{1}, builder.add_endport(e));
    return here;
  };
  const auto a = add_pair(0);
  const auto b = add_pair(1);
  builder.connect(a, PortNum{8}, b, PortNum{8});
  expect(builder.assign_lids(0, FabricBuilder::Numbering::kRenumber).has_value(), "LIDs");
  Result<Fabric> fabric = std::move(builder).build();
  expect(fabric.has_value(), "the fabric");
  return std::move(*fabric);
}

}  // namespace
}  // namespace espalier

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto rows = read_lft_text(text, "fuzz.dump");
  const auto tables = read_lfts(text, "fuzz.dump", fabric);
  if (!tables) {
    expect(tables.error().file == "fuzz.dump" && !tables.error().message.empty(), "an error without file or message");
    return 0;
  }
  const auto again = read_lfts(write_lfts(fabric, *tables), "written.dump", fabric);
  expect(again.has_value(), again ? "" : again.error().text());
  expect(*again == *tables, "other tables");
  const auto from_fdbs = read_lfts(write_fdbs(fabric, *tables), "written.fdbs", fabric);
  expect(from_fdbs.has_value(), from_fdbs ? "" : from_fdbs.error().text());
  expect(*from_fdbs == *tables, "other tables from fdbs");
  expect(rows.has_value(), rows ? "" : rows.error().text());
  return 0;
}
