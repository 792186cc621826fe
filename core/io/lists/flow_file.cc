// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/flow_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/io/lists/host_names.h"
#include "core/io/lists/rank_order.h"

namespace espalier {
namespace {

class FlowReader {
 public:
  FlowReader(const std::string& file, const Fabric& fabric) : file_(file), fabric_(fabric), names_(fabric) {}

  // False: no more lines are wanted.
  bool read(std::string_view text, int line) {
    const auto parsed = read_traffic_matrix(text, file_);
    if (!parsed) return complain(line, parsed.error().message, parsed.error().advice);
    for (const MatrixLine& flow : *parsed) {
      if (result_.flows.size() == FlowFile::kMostFlows) {
        complain(line, fmt::format("more than {} flows", FlowFile::kMostFlows), "remove the lightest");
        return false;
      }
      add(flow, line);
    }
    return true;
  }
  [[nodiscard]] FlowFile take() { return std::move(result_); }

 private:
  bool complain(int line, std::string message, std::string advice = {}) {
    if (result_.num_complaints++ < FlowFile::kMostComplaints)
      result_.complaints.push_back({std::move(message), file_, line, std::move(advice)});
    return true;
  }

  // kNoEndport after a complaint.
  EndportId find(const std::string& name, int line) {
    const std::vector<EndportId> found = names_.find(name);
    if (found.size() == 1) return found.front();
    if (found.empty())
      complain(line, fmt::format("there is no host named \"{}\"", name), "give a port GUID, a LID or a host name");
    else
      complain(line, fmt::format("\"{}\" has {} ports", name, found.size()), "give the GUID of one");
    return kNoEndport;
  }

  void add(const MatrixLine& flow, int line) {
    const EndportId source = find(flow.source, line), destination = find(flow.destination, line);
    if (source == kNoEndport || destination == kNoEndport) return;
    if (source == destination) {
      complain(line, fmt::format("{} sends to itself", fabric_.label(source)));
    } else if (!(flow.weight > 0) || !std::isfinite(flow.weight)) {
      complain(line, fmt::format("a flow of weight {} carries no traffic", flow.weight), "remove the line");
    } else if (const auto [first, is_new] =
                   lines_.emplace(std::uint64_t{index(source)} << 32 | index(destination), line);
               !is_new) {
      complain(line, fmt::format("this flow is already in line {}", first->second),
               "combine both lines and add the weights");
    } else {
      result_.flows.push_back({source, destination, flow.weight});
    }
  }

  const std::string& file_;
  const Fabric& fabric_;
  HostNames names_;
  FlowFile result_;
  std::unordered_map<std::uint64_t, int> lines_;  // by flow
};

}  // namespace

FlowFile read_flow_file(std::string_view text, const std::string& file_name, const Fabric& fabric) {
  FlowReader reader(file_name, fabric);
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!reader.read(text.substr(0, end), line)) break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take();
}

}  // namespace espalier
