// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever tables read_lfts accepts for a small fabric, write_lfts and write_fdbs write, and they read back the same;
// and read_lft_text, which asks less, accepts them, too.
#include "core/io/lft/fdbs_writer.h"
#include "core/io/lft/lft_dump.h"
#include "core/io/lft/lft_text.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

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
