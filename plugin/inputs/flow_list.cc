// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/flow_list.h"

#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/fabric/endport_index.h"
#include "core/io/file.h"
#include "core/io/lists/flow_file.h"

namespace espalier {

std::vector<KnownFlow> FlowList::read(const std::string& path, const Fabric& fabric, const Log& log) {
  const auto text = read_file(path);
  if (!text) log.error(fmt::format("flows: {}", text.error().text()));
  if (text) {
    FlowFile file = read_flow_file(*text, path, fabric);
    if (file.ok()) {
      version_ = fnv1a(*text);
      last_good_.clear();
      for (const KnownFlow& flow : file.flows)
        last_good_.push_back({fabric.at(flow.source).port_guid, fabric.at(flow.destination).port_guid, flow.weight});
      return std::move(file.flows);
    }
    for (const Error& complaint : file.complaints) log.error(fmt::format("flows: {}", complaint.text()));
    log.error(fmt::format("flows: {} has {}; keeping the {} of the last valid file", path,
                          counted(file.num_complaints, "bad line"), counted(last_good_.size(), "flow")));
  }
  const EndportIndex endports(fabric);
  std::vector<KnownFlow> flows;
  for (const GuidFlow& flow : last_good_) {
    const EndportId source = endports.find(flow.source), destination = endports.find(flow.destination);
    if (source != kNoEndport && destination != kNoEndport) flows.push_back({source, destination, flow.weight});
  }
  return flows;
}

}  // namespace espalier
