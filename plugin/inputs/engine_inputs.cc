// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/engine_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/engines/engines.h"
#include "core/io/file_owner.h"
#include "core/io/lists/guid_file.h"
#include "core/io/lists/node_types_file.h"
#include "core/tree/order/node_types.h"
#include "plugin/inputs/input_files.h"
#include "plugin/lanes/link_lanes.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

// The GUIDs in the file that an option of opensm.conf names; none when it names none.
Result<std::vector<Guid>> guids_of(const std::string& path, InputFiles& files) {
  if (path.empty()) return std::vector<Guid>{};
  ESPALIER_TRY(const std::string text, files.read(path));
  return read_guids(text, path);
}

// Types of hosts from espalier.conf's file and OpenSM's lists.
Result<NodeTypes> node_types(const OpensmOptions& opensm, const Fabric& fabric, const std::string& path,
                             InputFiles& files, std::vector<std::string>& warnings) {
  NodeTypeRules rules;
  if (!path.empty()) {
    ESPALIER_TRY(const std::string text, files.read(path));
    ESPALIER_TRY(rules, read_node_types(text, path));
  }
  ESPALIER_TRY(std::vector<Guid> io, guids_of(opensm.io_guid_file, files));
  ESPALIER_TRY(std::vector<Guid> compute, guids_of(opensm.cn_guid_file, files));
  add_guid_lists(rules, {std::move(io), opensm.io_guid_file}, {std::move(compute), opensm.cn_guid_file});
  ESPALIER_TRY(NodeTypeAssignment assignment, assign_node_types(fabric, rules));
  for (std::string& warning : assignment.warnings(fabric, rules)) warnings.push_back(std::move(warning));
  if (rules.rules.empty())
    warnings.push_back("neither node_types nor io_guid_file is set, so all hosts are balanced alike");
  return std::move(assignment.types);
}

// A list of compute nodes alone, which is there for the levels, does not make an engine look at types that has a use
// for them but does without.
bool wants_types(const OpensmOptions& opensm, const EngineTraits& traits, const PluginConfig& config) {
  using NodeTypes = EngineTraits::NodeTypes;
  return traits.node_types == NodeTypes::kAlways ||
         (traits.node_types == NodeTypes::kForPhases && config.objective.phases &&
          (!config.node_types.empty() || !opensm.io_guid_file.empty()));
}

// Those that are in no file.
EngineOptions plain_options(const OpensmOptions& opensm, const PluginConfig& config) {
  EngineOptions options;
  options.seed = config.seed;
  options.balance_ms = config.balance_ms;
  options.balance_wall_ms = config.balance_wall_ms;
  options.objective = config.objective;
  options.switch_paths = {config.switch_paths, opensm.sm_port};
  options.sftree_base = config.sftree_base;
  options.gxmodk_mode = config.gxmodk_mode;
  options.storage_share = config.storage_share;
  return options;
}

// The data lanes that links have and that VL arbitration serves.
unsigned usable_lanes(const OpensmOptions& opensm, const LinkFigures& links, std::vector<std::string>& warnings) {
  const unsigned there = lanes_of_links(opensm, links);
  const unsigned served = served_lanes(opensm, links);
  if (served < there)
    warnings.push_back(fmt::format(
        "links have {}, but in opensm.conf neither qos_vlarb_low nor qos_vlarb_high has a weight for lane {} "
        "among the entries that ports have room for, and nothing would ever be sent from it: {} used",
        counted(there, "virtual lane"), served, counted(served, "is", "are")));
  return std::min(there, served);
}

}  // namespace

// OpenSM rereads its options at each sweep, we read the files.
Result<RankOptions> rank_options(const PluginState& state) {
  InputFiles files;
  ESPALIER_TRY(std::vector<Guid> roots, guids_of(state.opensm.root_guid_file, files));
  ESPALIER_TRY(std::vector<Guid> compute_ports, guids_of(state.opensm.cn_guid_file, files));
  return RankOptions{std::move(roots), std::move(compute_ports), state.places.places(), state.config.switches};
}

std::uint64_t lists_of(const RankOptions& options) {
  std::uint64_t lists = 0;
  for (const auto* list : {&options.roots, &options.compute_ports})
    for (const Guid guid : *list) lists = mix(lists, index(guid));
  return lists;
}

Result<EngineInputs> engine_inputs(osm_opensm& osm, std::string_view engine_name, const Shape& shape,
                                   const std::shared_ptr<const Fabric>& fabric, PluginState& state,
                                   std::vector<std::string>& warnings) {
  const EngineTraits traits = traits_of(engine_name);
  const PluginConfig& config = state.config;
  const FatTree& tree = *shape.tree;
  EngineOptions options = plain_options(state.opensm, config);
  const LinkFigures links = traits.lanes ? link_figures(state.snapshots.readings()) : LinkFigures{};
  if (shape.groups && shape.groups->fabric == fabric.get()) options.groups = shape.groups;
  if (traits.lanes) options.max_vls = usable_lanes(state.opensm, links, warnings);
  if (config.switch_sl.value_or(0) != 0 && !state.opensm.qos)
    warnings.push_back(
        fmt::format("switch_sl {}: without qos TRUE in opensm.conf OpenSM assigns it no lane; it takes the one that "
                    "ports have for it by default",
                    *config.switch_sl));
  InputFiles files;
  ESPALIER_TRY(options.host_order, state.host_numbers.order(tree, fabric, config.host_order, files, warnings));
  if (traits.exchange) {
    ESPALIER_TRY(std::vector<Guid> participants, guids_of(config.schedule_participants, files));
    if (participants.empty() && !config.schedule_participants.empty())
      return fail_at(config.schedule_participants, 0, "it names no host", "without the option all hosts take part");
    options.exchange = {config.schedule_mode, std::move(participants), config.schedule_participants};
  }
  if (traits.known_flows && !config.flows_file.empty()) {
    options.known_flows = state.flows.read(config.flows_file, tree.fabric(), Log(osm));
    files.note(state.flows.version());
  }
  options.hosts_choose_lids = !config.lid_choices_file.empty();
  if (wants_types(state.opensm, traits, config)) {
    ESPALIER_TRY(options.node_types, node_types(state.opensm, tree.fabric(), config.node_types, files, warnings));
  }
  return EngineInputs{std::move(options), files.version(), links};
}

std::vector<std::string> warnings_of_foreign_files(const osm_opensm& osm, const PluginConfig& config) {
  const auto& opt = osm.subn.opt;
  const char* options = opt.event_plugin_options;
  std::vector<std::string> paths = input_files(config);
  for (const char* path : {is_set(options) ? options : kDefaultPath, static_cast<const char*>(opt.root_guid_file),
                           static_cast<const char*>(opt.cn_guid_file), static_cast<const char*>(opt.io_guid_file)})
    if (is_set(path)) paths.emplace_back(path);
  std::vector<std::string> warnings;
  for (const std::string& path : paths) {
    if (const std::string who = who_else_may_change(path); !who.empty())
      warnings.push_back(
          fmt::format("{} {}: anyone who can write to it controls the routes; see docs/security.md", path, who));
  }
  return warnings;
}

}  // namespace espalier
