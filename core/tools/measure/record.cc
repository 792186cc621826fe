// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier record`: a file of known flows for engine `flows`, from what a subnet's port counters or a trace tell.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/analysis/congestion/gravity_model.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/io/lists/flow_file.h"
#include "core/io/scanner.h"
#include "core/live/port_counters.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/idle_options.h"
#include "core/tools/inputs/source.h"
#include "core/tools/summary.h"
#include "core/tools/usage.h"

namespace espalier::tools {
namespace {

struct RecordOptions {
  Source source;
  std::string matrix;
  std::string trace;
  std::string order = "names";
  std::string output;
  double seconds = 10;
  double least = 0;
  bool json = false;
};

using Weights = std::map<std::pair<EndportId, EndportId>, double>;

// Lines `rank rank bytes`, those of one pair added up; ranks are positions in the order of hosts.
Weights flows_of_trace(const std::vector<EndportId>& hosts, const std::string& path) {
  const std::string text = load_text(path);
  Weights weights;
  io::Lines lines(text);
  while (const auto line = lines.next()) {
    const auto words = io::words_of(io::without_comment(*line));
    if (words.empty()) continue;
    const auto from = parse_number<std::size_t>(words.front());
    const auto to = words.size() == 3 ? parse_number<std::size_t>(words[1]) : std::nullopt;
    const auto bytes = words.size() == 3 ? parse_number<double>(words[2]) : std::nullopt;
    if (!from || !to || !bytes || *bytes < 0)
      throw Refused{{"a line of a trace is `rank rank bytes`", path, lines.number(), {}}};
    if (*from >= hosts.size() || *to >= hosts.size())
      throw Refused{
          {fmt::format("rank {} has no host: there are {}", std::max(*from, *to), counted(hosts.size(), "host")), path,
           lines.number(), "give the hosts in the order of the job's ranks with --host-order"}};
    if (*from != *to) weights[{hosts[*from], hosts[*to]}] += *bytes;
  }
  if (weights.empty())
    throw Refused{{"no message goes from one rank to another; a line is `rank rank bytes`", path, 0, {}}};
  return weights;
}

Weights flows_of_matrix(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::string& path) {
  Weights weights;
  for (const Flow& flow : flows_in_file(fabric, hosts, path))
    if (flow.source != flow.destination) weights[{hosts[flow.source], hosts[flow.destination]}] += flow.weight;
  return weights;
}

// In bytes per second.
Weights flows_of_counters(const RecordOptions& options, const Fabric& fabric) {
  const live::HostRates measured =
      value_or_refuse(live::measure_hosts(options.source.local_port, fabric, options.seconds));
  if (!measured.unknown.empty())
    warn(fmt::format("no counters for {}, for example {}", counted(measured.unknown.size(), "host"),
                     fabric.label(measured.unknown.front())));
  std::vector<HostSums> sums;
  for (const live::HostRate& rate : measured.rates) sums.push_back({rate.sent, rate.received});
  Weights weights;
  for (const EstimatedFlow& flow : gravity_flows(sums, options.least))
    weights[{measured.rates[flow.source].host, measured.rates[flow.destination].host}] = flow.weight;
  return weights;
}

// What read_flow_file() would not take: weights out of its bounds.
void refuse_weights(const Fabric& fabric, const Weights& weights, const std::string& input) {
  for (const auto& [ends, weight] : weights)
    if (weight < FlowFile::kLeastWeight || weight > FlowFile::kMostWeight)
      throw Refused{{fmt::format("{} sends {:.6g} to {}; a file of known flows takes weights from {} to {}",
                                 fabric.label(ends.first), weight, fabric.label(ends.second), FlowFile::kLeastWeight,
                                 FlowFile::kMostWeight),
                     input, 0, "write them in another unit"}};
}

// And more flows than it takes.
void leave_out_lightest(Weights& weights) {
  if (weights.size() <= FlowFile::kMostFlows) return;
  std::vector<Weights::const_iterator> flows;
  for (auto flow = weights.cbegin(); flow != weights.cend(); ++flow) flows.push_back(flow);
  const auto first_left_out = flows.begin() + FlowFile::kMostFlows;
  std::nth_element(flows.begin(), first_left_out, flows.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a->second, a->first) < std::tuple(-b->second, b->first);
  });
  warn(fmt::format("{} flows; the {} lightest are left out, since a file of known flows takes {}", flows.size(),
                   flows.size() - FlowFile::kMostFlows, FlowFile::kMostFlows));
  std::for_each(first_left_out, flows.end(), [&](const auto& flow) { weights.erase(flow); });
}

std::string flow_file(const Fabric& fabric, const Weights& weights) {
  std::string text = "# Known flows for engine `flows`: source, destination, weight.\n";
  for (const auto& [ends, weight] : weights) {
    const Endport& from = fabric.at(ends.first);
    const Endport& to = fabric.at(ends.second);
    fmt::format_to(std::back_inserter(text), "0x{:016x} 0x{:016x} {:.6g}  # {} to {}\n", index(from.port_guid),
                   index(to.port_guid), weight, printable(from.description), printable(to.description));
  }
  return text;
}

void record(const RecordOptions& options) {
  const int given = (options.matrix.empty() ? 0 : 1) + (options.trace.empty() ? 0 : 1) + (options.source.live ? 1 : 0);
  if (given != 1)
    throw Refused{{"record needs one of --live, --trace and --matrix", {}, 0, "see espalier record --help"}};
  const Fabric fabric = load(options.source, TablesNeed::kNone).fabric;
  Weights weights;
  if (options.source.live) {
    weights = flows_of_counters(options, fabric);
  } else {
    const std::vector<EndportId> hosts = traffic_order(fabric, options.order).hosts;
    weights =
        options.trace.empty() ? flows_of_matrix(fabric, hosts, options.matrix) : flows_of_trace(hosts, options.trace);
  }
  refuse_mixed_output(options.json, options.output);
  std::erase_if(weights, [&](const auto& flow) { return flow.second <= 0 || flow.second < options.least; });
  refuse_weights(fabric, weights, options.trace + options.matrix);
  leave_out_lightest(weights);
  save_text(options.output, flow_file(fabric, weights));
  if (!options.json) return;
  nlohmann::ordered_json summary{{"flows", weights.size()}};
  summary.update(size_of(fabric));
  print_json(summary);
}

}  // namespace

void add_record(CLI::App& app) {
  const auto options = std::make_shared<RecordOptions>();
  CLI::App* command = app.add_subcommand("record", "Write a file of known flows from port counters or a trace");
  add_source(*command, options->source, TablesNeed::kNone, "Net file or ibnetdiscover text");
  command->add_option(
      "--trace", options->trace,
      "Messages of a job: lines `rank rank bytes`, added up for each pair; --host-order says which host "
      "has which rank");
  command->add_option("--matrix", options->matrix,
                      "Lines `source destination [weight]` by GUID, LID or name, added up");
  add_host_order_option(*command, options->order, "How ranks are numbered");
  command->add_option("--seconds", options->seconds, "With --live: how long to count")
      ->check(CLI::Range(0.1, 86400.0))
      ->capture_default_str();
  command
      ->add_option("--least", options->least,
                   "Leave out flows of a smaller weight: bytes of a trace, bytes per second with --live")
      ->check(from_zero())
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "File to write; default: standard output");
  add_summary_option(*command, options->json, "the number of flows and the size of the fabric");
  command->footer(
      "With --live, the counters of the ports that hosts are cabled to are read twice. They tell what each host sends\n"
      "and receives, but not to and from whom: each host is taken to spread what it sends in proportion to what the "
      "others\nreceive (gravity model).\n"
      "Example: flows of more than 100 KB of a job\n"
      "  espalier record tree.net --trace messages.txt --host-order hostfile --least 100000 -o flows\n"
      "Example: the heavy flows of the next minute\n"
      "  espalier record --live --seconds 60 --least 1e8 -o flows");
  command->callback([options, command] {
    refuse_idle(*command, {"--host-order", "--order"}, !options->source.live, "--trace and --matrix");
    refuse_idle(*command, {"--seconds"}, options->source.live, "--live");
    record(*options);
  });
}

}  // namespace espalier::tools
