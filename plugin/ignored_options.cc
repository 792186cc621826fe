// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/ignored_options.h"

#include <fmt/format.h>

#include "core/engines/engines.h"
#include "plugin/opensm.h"

namespace espalier {

std::vector<std::string> ignored_options(const osm_opensm& osm, std::string_view engine) {
  const auto& opt = osm.subn.opt;
  std::vector<std::string> ignored;
  const auto tell = [&](const char* option, const char* instead) {
    ignored.push_back(fmt::format("{} has no effect here: {}", option, instead));
  };
  const bool counts_capacities = traits_of(engine).capacities;
  const auto is_set = [](const char* file) { return file != nullptr && *file != '\0'; };
  if (opt.max_reverse_hops > 0)
    tell("max_reverse_hops", "every pair of switches is reached anyway, without credit loops");
  if (is_set(opt.io_guid_file) && traits_of(engine).node_types == EngineTraits::NodeTypes::kIgnored)
    tell("io_guid_file", "this engine balances all hosts alike; gxmodk and balanced use it");
  if (is_set(opt.ids_guid_file)) tell("ids_guid_file", "host_order in espalier.conf says how hosts are numbered");
  if (is_set(opt.guid_routing_order_file))
    tell("guid_routing_order_file", "name the file in host_order in espalier.conf instead");
  if (is_set(opt.hop_weights_file))
    tell(
        "hop_weights_file",
        counts_capacities
            ? "links count by the rate they run at; to keep routes off a switch, name it under exclude in espalier.conf"
            : "this engine counts all links alike; balanced counts them by the rate they run at");
  if (opt.avoid_throttled_links)
    tell("avoid_throttled_links", counts_capacities
                                      ? "a link gets routes by the rate it runs at, so slow ones get fewer"
                                      : "this engine counts all links alike; with balanced slow ones get fewer routes");
  if (is_set(opt.port_search_ordering_file))
    tell("port_search_ordering_file", "ports are ordered by the switch at the other end");
  if (is_set(opt.port_prof_ignore_file)) tell("port_prof_ignore_file", "no engine profiles ports");
  if (opt.scatter_ports > 0)
    tell("scatter_ports", "use an engine that draws its routes at random, with seed in espalier.conf");
  return ignored;
}

}  // namespace espalier
