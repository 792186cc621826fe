// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier doctor`: will OpenSM on this machine load the plugin and route with it?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/engines/engines.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/opensm_engines.h"
#include "core/tools/inputs/routed.h"
#include "core/tools/inputs/source.h"
#include "core/tools/setup/checkup.h"
#include "core/tools/setup/guid_lists.h"
#include "core/tools/setup/opensm_setup.h"
#include "core/tools/summary.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUsualConf = "/etc/opensm/opensm.conf";

struct DoctorOptions {
  Source source;
  std::string opensm_conf = kUsualConf;
  bool json = false;
};

void look_at_plugin(std::vector<Checkup>& all) {
  const auto opensm = version_of_opensm();
  all.push_back({"OpenSM", opensm.has_value(), opensm.value_or("the program opensm was not found; install it")});
  const Result<InstalledPlugin> plugin = find_plugin();
  all.push_back({"plugin", plugin.has_value(), plugin ? plugin->path : plugin.error().text()});
  if (!opensm || !plugin) return;
  const bool same = plugin->opensm_version == *opensm;
  all.push_back({"versions", same,
                 same ? fmt::format("the plugin was built for {}", *opensm)
                      : fmt::format("the plugin was built for {}, but this is {}: OpenSM will refuse to load it and "
                                    "use the first of its own engines in routing_engine, or minhop; install the "
                                    "package for this version",
                                    plugin->opensm_version, *opensm)});
}

// Of an engine of ours, by both its names.
Checkup look_at_lanes(const std::string& word, std::string_view name, const OpenSmConf& conf) {
  const EngineTraits traits = traits_of(name);
  const LanesLeft left = lanes_left_by(conf);
  const unsigned needed = conf.has_lmc ? traits.least_vls_with_lmc : traits.least_vls;
  const std::string of_ours = word + ": an engine of Espalier";
  if (!traits.lanes) return {"routing_engine", true, of_ours};
  if (!conf.qos)
    return {"routing_engine", false,
            of_ours + " that needs several virtual lanes, and declines without `qos TRUE`; set it in opensm.conf"};
  if (left.lanes < needed)
    return {"routing_engine", false,
            fmt::format("{} that needs {} virtual lanes, and declines, since {} leaves links {}; {} in opensm.conf",
                        of_ours, needed, left.by, left.lanes, left.advice)};
  if (left.lanes >= EngineOptions{}.max_vls) return {"routing_engine", true, of_ours};
  return {"routing_engine", true,
          fmt::format("{}; {} leaves it {}", of_ours, left.by, counted(left.lanes, "virtual lane"))};
}

Checkup look_at_engine(const std::string& word, const OpenSmConf& conf) {
  if (word == "no_fallback")
    return {"routing_engine", true,
            word + ": where all of these decline, OpenSM routes nothing, and answers no path record"};
  const std::string_view name = engine_of_plugin(word);
  if (name.empty() && !is_of_opensm(word))
    return {"routing_engine", false,
            word + ": neither Espalier nor OpenSM has an engine of this name; OpenSM skips it silently"};
  if (name.empty()) {
    const std::string namesake = "espalier-" + word;
    return {"routing_engine", true,
            engine_of_plugin(namesake).empty()
                ? word + ": an engine of OpenSM"
                : fmt::format("{}: an engine of OpenSM; that of Espalier is {}", word, namesake)};
  }
  return look_at_lanes(word, name, conf);
}

void look_at_options(const OpenSmConf& conf, std::vector<Checkup>& all) {
  const std::string error = config_error(conf.options);
  all.push_back({"event_plugin_options", error.empty(),
                 !error.empty()             ? error
                 : conf.options.empty()     ? "not set: defaults"
                 : is_missing(conf.options) ? fmt::format("there is no {}: defaults", conf.options)
                                            : conf.options + " is valid"});
  for (const std::string& engine : conf.engines) {
    const std::string_view name = engine_of_plugin(engine);
    if (name.empty() || !traits_of(name).lanes) continue;
    if (const std::string conflict = engine_error(conf.options, engine); !conflict.empty())
      all.push_back({"event_plugin_options", false, conflict});
  }
}

void look_at_conf(const OpenSmConf& conf, std::vector<Checkup>& all) {
  const bool loads = std::find(conf.plugins.begin(), conf.plugins.end(), "espalier") != conf.plugins.end();
  const std::string plugins = fmt::format("{}", fmt::join(conf.plugins, " "));
  all.push_back({"event_plugin_name", loads,
                 loads             ? plugins
                 : plugins.empty() ? "not set; set event_plugin_name espalier"
                                   : plugins + ": set event_plugin_name espalier"});
  if (conf.engines.empty()) all.push_back({"routing_engine", false, "not set; use routing_engine balanced,dmodc,updn"});
  for (const std::string& engine : conf.engines) all.push_back(look_at_engine(engine, conf));
  if (find_plugin()) look_at_options(conf, all);
}

// Whether the engines of ours in the list route this fabric, in their order.
void look_at_fabric(const Fabric& fabric, const OpenSmConf& conf, std::vector<Checkup>& all) {
  EngineOptions options;
  options.max_vls = std::min(options.max_vls, lanes_left_by(conf).lanes);
  const Result<RankOptions> rank_options = rank_options_of(conf);
  for (const std::string& engine : conf.engines) {
    const std::string_view name = engine_of_plugin(engine);
    if (name.empty()) continue;
    try {
      const Routing routing = route_or_refuse(fabric, std::string(name), options, value_or_refuse(rank_options));
      std::string answer = engine + " routes this fabric, and its tables are sound";
      for (const std::string& warning : routing.warnings) answer += "; " + warning;
      all.push_back({"fabric", true, answer});
    } catch (const Refused& refused) {
      all.push_back({"fabric", false, fmt::format("{} declines: {}", engine, refused.error.text())});
    }
  }
}

std::vector<Checkup> examine(const DoctorOptions& options) {
  std::optional<Fabric> fabric;
  if (options.source.live || !options.source.net.empty()) fabric = load(options.source, TablesNeed::kNone).fabric;
  std::vector<Checkup> all;
  look_at_plugin(all);
  if (options.opensm_conf == kUsualConf && !std::filesystem::exists(kUsualConf)) {
    all.push_back({"opensm.conf", false,
                   fmt::format("there is no {0}, so OpenSM runs with its defaults and without the plugin; write one "
                               "with `opensm -c {0}` and set event_plugin_name, event_plugin_options and "
                               "routing_engine in it, or name yours with --opensm-conf",
                               kUsualConf)});
    return all;
  }
  const OpenSmConf conf = parse_opensm_conf(load_text(options.opensm_conf));
  look_at_conf(conf, all);
  for (Checkup& checkup : look_at_guid_lists(conf, fabric ? &*fabric : nullptr)) all.push_back(std::move(checkup));
  if (fabric) look_at_fabric(*fabric, conf, all);
  return all;
}

}  // namespace

void add_doctor(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command = app.add_subcommand("doctor", "Check that OpenSM on this machine will load and use the plugin");
  add_source(*command, options->source, TablesNeed::kNone,
             "Also check that the listed engines route this fabric, and that the GUIDs in the lists that opensm.conf "
             "names (such as root_guid_file) are in it");
  command->add_option("--opensm-conf", options->opensm_conf, "OpenSM's configuration")->capture_default_str();
  command->add_flag("--json", options->json, "Print one JSON object instead of lines");
  command->footer(
      "Exit code 0: all is well. 1: there is a problem; the output says what to do. 2: bad input.\n"
      "Example: after the installation\n  espalier doctor && systemctl restart opensm\n"
      "Example: are the GUIDs of root_guid_file and the other lists those of this subnet?\n  espalier doctor --live");
  command->callback([options] {
    const std::vector<Checkup> all = examine(*options);
    const bool good = std::all_of(all.begin(), all.end(), [](const Checkup& checkup) { return checkup.good; });
    Json result{{"ok", good}, {"checks", Json::array()}};
    for (const Checkup& checkup : all)
      result["checks"].push_back({{"check", checkup.what}, {"ok", checkup.good}, {"text", checkup.answer}});
    if (options->json)
      print_json(result);
    else
      for (const Checkup& checkup : all)
        fmt::print("{:<7} {}: {}\n", checkup.good ? "ok" : "PROBLEM", checkup.what, printable(checkup.answer));
    if (!good) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
