// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/ignored_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "core/engines/engines.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

std::string sentence(std::string_view option, std::string_view instead) {
  return fmt::format("{} has no effect here: {}", option, instead);
}

// What an engine with lanes answers for itself: SL2VL tables, and the service level of each path.
void add_service_levels(const osm_subn_t& subnet, std::vector<std::string>& ignored) {
  using Options = osm_subn_opt_t;
  constexpr std::pair<const char*, osm_qos_options_t Options::*> kTables[] = {
      {"qos_sl2vl", &Options::qos_options},         {"qos_ca_sl2vl", &Options::qos_ca_options},
      {"qos_sw0_sl2vl", &Options::qos_sw0_options}, {"qos_swe_sl2vl", &Options::qos_swe_options},
      {"qos_rtr_sl2vl", &Options::qos_rtr_options},
  };
  for (const auto& [option, tables] : kTables)
    if (is_set((subnet.opt.*tables).sl2vl))
      ignored.push_back(sentence(option, "the lane of each service level follows from the routes"));
  const char* policy = subnet.opt.qos_policy_file;
  if (is_set(policy) && ::access(policy, R_OK) == 0)
    ignored.push_back(
        sentence(fmt::format("any service level in {}", policy), "each path has the one that its lanes need"));
  const cl_qmap_t& partitions = subnet.prtn_pkey_tbl;
  for (const cl_map_item_t* i = cl_qmap_head(&partitions); i != cl_qmap_end(&partitions); i = cl_qmap_next(i)) {
    const auto& partition = *reinterpret_cast<const osm_prtn_t*>(i);  // whose first member it is
    if (partition.sl != 0)
      ignored.push_back(
          fmt::format("sl={} of partition {} is for its multicast groups alone: each path has the service level that "
                      "its lanes need",
                      partition.sl, static_cast<const char*>(partition.name)));
  }
}

}  // namespace

std::vector<std::string> ignored_options(const osm_opensm& osm, std::string_view engine) {
  const auto& opt = osm.subn.opt;
  std::vector<std::string> ignored;
  const auto tell = [&](const char* option, const char* instead) { ignored.push_back(sentence(option, instead)); };
  const bool counts_capacities = traits_of(engine).capacities;
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
  if (traits_of(engine).lanes) add_service_levels(osm.subn, ignored);
  return ignored;
}

}  // namespace espalier
