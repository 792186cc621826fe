// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever format read_fabric recognizes and builds: it never dies, its errors and warnings say where, and the fabric,
// written as a net file and as opensm-subnet.lst, reads back.
#include "core/io/export/csv_writer.h"
#include "core/io/export/dot_writer.h"
#include "core/io/export/graphml_writer.h"
#include "core/io/export/json_writer.h"
#include "core/io/fabric_reader.h"
#include "core/io/net/net_writer.h"
#include "core/io/subnet/subnet_list.h"
#include "tests/fuzz/expect.h"

namespace espalier {
namespace {

std::size_t num_links(const Fabric& fabric) {
  std::size_t endports = 0;
  for (const EndportId e : fabric.endports()) endports += fabric.at(e).leaf == kNoSwitch ? 0 : 1;
  return fabric.num_switch_links() + endports;
}

Fabric read_list(const std::string& list) {
  Result<ParsedNet> net = read_fabric(list, "written.lst");
  expect(net.has_value(), net ? "" : net.error().text() + "\n" + list);
  Result<Fabric> fabric = std::move(net->builder).build();
  expect(fabric.has_value(), fabric ? "" : fabric.error().text() + "\n" + list);
  return std::move(*fabric);
}

void round_trips(const Fabric& fabric) {
  if (fabric.num_switches() + fabric.num_endports() == 0) return;
  Result<ParsedNet> net = read_fabric(write_net(fabric), "written.net", PortGuids::kAsWritten);
  expect(net.has_value(), net ? "" : net.error().text());
  const Result<Fabric> same = std::move(net->builder).build();
  expect(same.has_value(), same ? "" : same.error().text());
  expect(num_links(*same) == num_links(fabric), "other cables after write_net");

  if (num_links(fabric) == 0) return;
  for (const EndportId e : fabric.endports())
    if (fabric.at(e).port_guid == kNoGuid || fabric.at(e).node_guid == kNoGuid) return;  // the list has no such GUIDs
  const Fabric listed = read_list(write_subnet_list(fabric));
  expect(num_links(listed) == num_links(fabric), "other cables after write_subnet_list");
  // What has no cable is not in the list; from then on nothing changes.
  const std::string list = write_subnet_list(listed);
  expect(write_subnet_list(read_list(list)) == list, "written twice, two lists\n" + list);
}

}  // namespace
}  // namespace espalier

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  Result<ParsedNet> net = read_fabric(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!net) {
    expect(net.error().file == "fuzz" && !net.error().message.empty(), "an error without file or message");
    return 0;
  }
  for (const Error& warning : net->warnings)
    expect(warning.line > 0 && warning.file == "fuzz", "a warning without a line");
  const Result<Fabric> fabric = std::move(net->builder).build();
  if (!fabric) return 0;
  round_trips(*fabric);
  expect(!write_dot(*fabric).empty() && !write_graphml(*fabric).empty() && !write_json(*fabric).empty() &&
             !write_links_csv(*fabric).empty(),
         "an empty text");
  return 0;
}
