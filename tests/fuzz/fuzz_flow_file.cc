// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Whatever read_flow_file takes are flows between two end ports, each once and above 0; every bad line is named, once.
// A matrix may have more of them.
#include <cmath>
#include <set>

#include "core/io/lists/flow_file.h"
#include "tests/fuzz/expect.h"
#include "tests/fuzz/two_switches.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  static const Fabric fabric = two_switches();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const FlowFile file = read_flow_file(text, "fuzz.flows", fabric);
  std::set<std::pair<EndportId, EndportId>> seen;
  for (const KnownFlow& flow : file.flows) {
    expect(index(flow.source) < fabric.num_endports() && index(flow.destination) < fabric.num_endports(),
           "an end port that does not exist");
    expect(flow.source != flow.destination, "a flow to itself");
    expect(flow.weight > 0 && std::isfinite(flow.weight), "a weight out of range");
    expect(seen.emplace(flow.source, flow.destination).second, "a flow twice");
  }
  expect(file.lines.size() == file.flows.size(), "flows and their lines");
  int last = 0;
  for (const Error& complaint : file.complaints) {
    expect(complaint.file == "fuzz.flows" && complaint.line > last, "an error without file or line, or a line twice");
    last = complaint.line;
  }
  expect(file.complaints.size() <= file.num_complaints, "complaints are counted");
  expect(file.ok() == file.complaints.empty(), "bad lines without a complaint");
  const FlowFile matrix = read_flow_file(text, "fuzz.flows", fabric, FlowRules::kMatrix);
  expect(file.num_complaints >= matrix.num_complaints, "a looser rule refuses more");
  return 0;
}
