// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/find_removal.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>

#include "core/base/number.h"
#include "core/base/try.h"
#include "core/tools/inputs/find_node.h"

namespace espalier::tools {
namespace {

struct PortOf {
  std::string_view node;
  unsigned port = 0;
};

// "spine 3/17" -> "spine 3" and 17.
std::optional<PortOf> split_port(std::string_view word) {
  const std::size_t slash = word.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const auto port = parse_number<unsigned>(word.substr(slash + 1));
  return port ? std::optional(PortOf{word.substr(0, slash), *port}) : std::nullopt;
}

Result<ChannelId> link_at(const Fabric& fabric, const Node& node, unsigned port) {
  if (!node.is_switch()) {
    const Endport& endport = fabric.at(node.endport);
    if (port != index(endport.port)) return fail(fmt::format("{} has no port {}", label(fabric, node), port));
    return fabric.channel(endport.leaf, endport.leaf_port);
  }
  const unsigned num_ports = fabric.at(node.at).num_ports;
  if (port == 0 || port > num_ports)
    return fail(fmt::format("{} has no port {}", label(fabric, node), port), fmt::format("it has 1 to {}", num_ports));
  if (fabric.peer(node.at, id_at<PortNum>(port)).kind == Peer::Kind::kNone)
    return fail(fmt::format("port {} of {} has no link", port, label(fabric, node)));
  return fabric.channel(node.at, id_at<PortNum>(port));
}

Status add(const Fabric& fabric, std::string_view word, Removal& removal) {
  const Result<Node> whole = find_node(fabric, word);
  if (whole) {
    if (whole->is_switch())
      removal.switches.push_back(whole->at);
    else
      removal.endports.push_back(whole->endport);
    return {};
  }
  const std::optional<PortOf> split = split_port(word);
  if (!split) return tl::unexpected(whole.error());
  ESPALIER_TRY(const Node node, find_node(fabric, split->node, split->port));
  ESPALIER_TRY(const ChannelId link, link_at(fabric, node, split->port));
  removal.links.push_back(link);
  return {};
}

}  // namespace

Result<Removal> find_removal(const Fabric& fabric, const std::vector<std::string>& words) {
  Removal removal;
  for (const std::string& word : words) ESPALIER_TRY_STATUS(add(fabric, word, removal));
  return removal;
}

void add_remove_option(CLI::App& command, std::vector<std::string>& words) {
  command
      .add_option("--remove", words,
                  "Remove this switch or host, given by GUID, LID or description; with /PORT appended, only the link "
                  "at that port. May be repeated")
      ->type_name("NAME|GUID[/PORT]");
}

}  // namespace espalier::tools
