// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier explain --credit-loop`.
#include <fmt/format.h>

#include <iterator>

#include "core/analysis/soundness/dependencies/credit_loop.h"
#include "core/analysis/soundness/loop_traffic.h"
#include "core/base/text.h"
#include "core/tools/explain/explain.h"

namespace espalier::tools {
namespace {

std::string_view name(ExamplePacket::Kind kind) {
  switch (kind) {
    case ExamplePacket::Kind::kHostToHost:
      return "host to host";
    case ExamplePacket::Kind::kHostToOther:
      return "host to switch or Aggregation Node";
    case ExamplePacket::Kind::kSwitch:
      return "sent by a switch or Aggregation Node";
    case ExamplePacket::Kind::kNone:
      break;
  }
  return "none";
}

std::string owner_text(const Fabric& fabric, Lid lid) {
  const LidOwner& owner = fabric.owner(lid);
  return owner.kind == LidOwner::Kind::kSwitch ? "switch " + fabric.label(SwitchId{owner.id})
                                               : fabric.label(EndportId{owner.id});
}

Json example_json(const Fabric& fabric, const ExamplePacket& packet) {
  return {{"kind", name(packet.kind)},
          {"from", packet.host == kNoEndport ? "switch " + fabric.label(packet.from) : fabric.label(packet.host)},
          {"to", owner_text(fabric, packet.lid)},
          {"lid", index(packet.lid)}};
}

Json loop_json(const AnalysisContext& context, const std::vector<ChannelId>& loop) {
  Json json = Json::array();
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const ExamplePacket packet =
        example_packet(context.fabric, context.tables, context.hosts, loop[i], loop[(i + 1) % loop.size()]);
    Json link = to_json(context.tree, loop[i]);
    link["packet_that_waits_for_the_next"] = example_json(context.fabric, packet);
    json.push_back(std::move(link));
  }
  return json;
}

std::string loop_text(const Json& loop) {
  std::string text;
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Json& packet = loop[i].at("packet_that_waits_for_the_next");
    fmt::format_to(std::back_inserter(text), "{:>3}  {}\n     waits for link {}: {} -> LID {} {} ({})\n", i + 1,
                   channel_text(loop[i]), (i + 1) % loop.size() + 1, packet.at("from").get<std::string>(),
                   packet.at("lid").get<int>(), packet.at("to").get<std::string>(),
                   packet.at("kind").get<std::string>());
  }
  return text;
}

// On virtual channels, as verify tells it.
Answer explain_loop_on_lanes(const AnalysisContext& context) {
  const ChannelDependencies graph(context.fabric, context.tables, *context.lanes);
  Answer answer;
  std::vector<ChannelId> loop;
  std::vector<std::uint8_t> vls;
  answer.json = {{"dependencies", graph.num_dependencies()}, {"vls", graph.num_vls()}, {"links", Json::array()}};
  for (const VirtualChannelId v : find_virtual_credit_loop(graph)) {
    loop.push_back(graph.channel(v));
    vls.push_back(graph.vl(v));
    answer.json["links"].push_back({{"switch", to_json(context.tree, context.fabric.source(loop.back()))},
                                    {"port", index(context.fabric.port(loop.back()))},
                                    {"vl", vls.back()}});
  }
  answer.good = loop.empty();
  answer.json["credit_loop"] = !loop.empty();
  answer.text = loop.empty()
                    ? fmt::format("no credit loop on {}: {} form no cycle\n", counted(graph.num_vls(), "virtual lane"),
                                  counted(graph.num_dependencies(), "dependency", "dependencies"))
                    : fmt::format("credit loop of {}: each waits for the next, the last for the first\n{}",
                                  counted(loop.size(), "link"),
                                  describe_credit_loop(context.fabric, context.tables, *context.lanes, loop, vls));
  return answer;
}

}  // namespace

Answer explain_credit_loop(const AnalysisContext& context) {
  if (context.lanes) return explain_loop_on_lanes(context);
  const ForwardingTables of_hosts = only_host_traffic(context.fabric, context.tables, context.hosts);
  const std::vector<ChannelId> host_loop = find_credit_loop(ChannelDependencies(context.fabric, of_hosts));
  const ChannelDependencies all(context.fabric, context.tables);
  const std::vector<ChannelId> loop = host_loop.empty() ? find_credit_loop(all) : host_loop;

  Answer answer;
  answer.good = loop.empty();
  answer.json = {{"dependencies", all.num_dependencies()},
                 {"credit_loop", !loop.empty()},
                 {"by_host_traffic_alone", !host_loop.empty()},
                 {"links", loop_json(context, loop)}};
  if (loop.empty()) {
    answer.text = fmt::format("no credit loop: {} form no cycle, whichever nodes send\n",
                              counted(all.num_dependencies(), "dependency", "dependencies"));
    return answer;
  }
  answer.text = fmt::format(
      "credit loop of {}: each waits for the next, the last for the first\n{}\n{}\n", counted(loop.size(), "link"),
      loop_text(answer.json["links"]),
      host_loop.empty()
          ? "traffic between hosts alone closes no loop on these tables: jobs cannot hang on it. It takes packets to "
            "or "
            "from switches and Aggregation Nodes: performance management, queries to the subnet administrator, SHARP. "
            "Subnet management packets do not count: VL15 has no flow control"
          : "traffic between hosts alone closes it: the fabric can hang under load");
  return answer;
}

}  // namespace espalier::tools
