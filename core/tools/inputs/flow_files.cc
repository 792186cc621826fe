// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/flow_files.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <utility>

#include "core/base/text.h"
#include "core/io/lists/flow_file.h"
#include "core/tools/command.h"
#include "core/tools/inputs/host_order.h"

namespace espalier::tools {
namespace {

void refuse_bad_lines(const FlowFile& file, const std::string& path, const char* undone) {
  if (file.ok() && file.flows.empty()) warn(fmt::format("{}: it has no flow", path));
  if (file.ok()) return;
  for (const Error& complaint : file.complaints) fmt::print(stderr, "espalier: {}\n", printable(complaint.text()));
  throw Refused{{fmt::format("{}; nothing was {}", counted(file.num_complaints, "bad line"), undone), path, 0, {}}};
}

}  // namespace

std::vector<KnownFlow> load_known_flows(const Fabric& fabric, const std::string& path) {
  FlowFile file = read_flow_file(load_text(path), path, fabric);
  refuse_bad_lines(file, path, "routed");
  return std::move(file.flows);
}

std::vector<Flow> flows_in_file(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::string& path,
                                const std::function<Status(double)>& check) {
  FlowFile file = read_flow_file(load_text(path), path, fabric, FlowRules::kMatrix);
  const std::vector<std::uint32_t> rank_of = ranks_of(fabric, hosts);
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < file.flows.size(); ++i) {
    const KnownFlow& flow = file.flows[i];
    for (const EndportId end : {flow.source, flow.destination})
      if (rank_of[index(end)] == kNoRank)
        file.complain(path, file.lines[i], fmt::format("{} is not among the hosts", fabric.label(end)), "");
    if (const Status good = check ? check(flow.weight) : Status{}; !good)
      file.complain(path, file.lines[i], good.error().message, good.error().advice);
    flows.push_back({rank_of[index(flow.source)], rank_of[index(flow.destination)], flow.weight});
  }
  refuse_bad_lines(file, path, "computed");
  return flows;
}

}  // namespace espalier::tools
