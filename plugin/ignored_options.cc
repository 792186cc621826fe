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
  const auto is_set = [](const char* file) { return file != nullptr && *file != '\0'; };
  if (opt.max_reverse_hops > 0) tell("max_reverse_hops", "every pair is reached, without credit loops");
  if (is_set(opt.io_guid_file) && traits_of(engine).node_types == EngineTraits::NodeTypes::kIgnored)
    tell("io_guid_file", "all hosts are balanced alike; engines gxmodk and balanced look at it");
  if (is_set(opt.ids_guid_file)) tell("ids_guid_file", "hosts are numbered along the leaves");
  if (is_set(opt.guid_routing_order_file)) tell("guid_routing_order_file", "host_order in espalier.conf may name it");
  if (is_set(opt.hop_weights_file)) tell("hop_weights_file", "all cables count alike");
  if (is_set(opt.port_search_ordering_file)) tell("port_search_ordering_file", "ports are ordered by the far switch");
  if (is_set(opt.port_prof_ignore_file)) tell("port_prof_ignore_file", "there are no port counters");
  if (opt.scatter_ports > 0) tell("scatter_ports", "nothing is random");
  return ignored;
}

}  // namespace espalier
