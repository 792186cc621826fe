// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/opensm_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/base/number.h"
#include "core/engines/engines.h"
#include "core/io/lanes/lanes_file.h"
#include "core/io/lft/lft_dump.h"
#include "core/tools/campaign/child_process.h"
#include "core/tools/command.h"
#include "core/tools/inputs/opensm_engines.h"

namespace espalier::tools {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_this_program() { return fs::read_symlink("/proc/self/exe").parent_path(); }

// What stands between the last `before` and the `after` behind it; empty where there is none.
std::string between(const std::string& text, std::string_view before, std::string_view after) {
  const std::size_t begin = text.rfind(before);
  if (begin == std::string::npos) return {};
  const std::size_t end = text.find(after, begin + before.size());
  return end == std::string::npos ? std::string() : text.substr(begin + before.size(), end - begin - before.size());
}

// What the runner said at last, without the name of a folder that will be gone.
std::string last_words(std::string text, const fs::path& folder) {
  while (text.ends_with('\n')) text.pop_back();
  text = text.substr(text.rfind('\n') + 1);
  const std::string files = fmt::format(", files in {}", folder.string());
  if (const std::size_t at = text.find(files); at != std::string::npos) text.erase(at, files.size());
  return text;
}

std::string_view first_engine(std::string_view engines) { return engines.substr(0, engines.find_first_of(" ,")); }

// Whether OpenSM is to set SL2VL tables: engines that put routes on several lanes are judged on these.
bool wants_qos(std::string_view engines) {
  constexpr std::array<std::string_view, 4> kOfOpenSm{"dfsssp", "lash", "nue", "torus-2QoS"};
  const std::string_view engine = first_engine(engines);
  return traits_of(engine_of_plugin(engine)).lanes ||
         std::find(kOfOpenSm.begin(), kOfOpenSm.end(), engine) != kOfOpenSm.end();
}

// Of the run whose tables were uploaded: lines are "ENGINE matrices_ms tables_ms VERDICT cpu_ms".
void read_times(const std::string& file, OpenSmRun& run) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double matrices_ms = 0;
    double tables_ms = 0;
    double cpu_ms = 0;
    int verdict = -1;
    if (!(words >> name >> matrices_ms >> tables_ms >> verdict >> cpu_ms) || name != run.engine_used || verdict != 0)
      continue;
    run.ms = matrices_ms + tables_ms;
    run.cpu_ms = cpu_ms;
  }
}

// Beside this program in a build, in a folder of the same prefix where installed, or where the loader looks anyway.
std::string folder_of_plugins() {
  const fs::path here = folder_of_this_program();
  for (const char* folder : {".", "../lib", "../lib64"})
    if (fs::exists(here / folder / "libespalier_probe.so")) return fs::canonical(here / folder).string();
  return here.string();
}

// OpenSM knows one LMC for all end ports: the most that one has.
std::string lmc_line(const Fabric& fabric) { return fmt::format("lmc {}", most_lmc(fabric)); }

}  // namespace

bool is_first_in_plugin(std::string_view engines) { return !engine_of_plugin(first_engine(engines)).empty(); }

OpenSmRun run_opensm(const Fabric& fabric, const std::string& engine, const OpenSmLimits& limits) {
  const fs::path folder = limits.folder;
  const std::string net = folder / "net";
  const std::string tables = folder / "tables";
  const std::string lanes = folder / "lanes";
  const std::string times = folder / "times";
  const std::string output = folder / "output";
  const fs::path opensm = folder / "opensm";
  save_fabric(net, fabric);
  const int code = value_or_refuse(run_program(
      {limits.runner, "-b", folder_of_plugins(), "-p",
       is_first_in_plugin(engine) ? "espalier espalier_probe" : "espalier_probe", "-e", engine, "-f", "0x03", "-t",
       std::to_string(limits.limit.count()), "-d", opensm, "-o", wants_qos(engine) ? "qos TRUE" : "qos FALSE", "-o",
       lmc_line(fabric), net},
      {{"ESPALIER_PROBE_LFTS", tables}, {"ESPALIER_PROBE_LANES", lanes}, {"ESPALIER_PROBE_TIMES", times}}, output));
  const std::string told = load_text(output);
  if (code != 0 || !fs::exists(tables)) {
    std::string reason = last_words(told, opensm);
    if (reason.empty()) reason = fmt::format("{} ended with code {} and printed nothing", limits.runner, code);
    const char* const what = code != 0 ? "OpenSM did not bring the subnet up" : "OpenSM wrote no tables";
    throw Refused{{fmt::format("{}: {}", what, reason), {}, 0, {}}};
  }

  OpenSmRun run;
  run.engine_used = between(load_text(opensm / "opensm.log"), "osm_ucast_mgr_process: ", " tables configured");
  read_times(times, run);
  run.peak_kib = parse_number<std::uint64_t>(between(told, "peak memory ", " kB")).value_or(0);
  run.tables = value_or_refuse(read_lfts(load_text(tables), "tables of OpenSM", fabric));
  if (fs::exists(lanes)) run.lanes = value_or_refuse(read_lanes(load_text(lanes), "lanes of OpenSM", fabric));
  return run;
}

Result<std::string> find_runner() {
  const fs::path here = folder_of_this_program();
  constexpr std::array kFolders{"../scripts", "../../scripts", "../share/espalier"};
  for (const char* folder : kFolders)
    if (const fs::path runner = here / folder / "run_opensm.sh"; fs::exists(runner))
      return fs::canonical(runner).string();
  return fail(fmt::format("run_opensm.sh, which runs OpenSM on ibsim, is in none of {}, seen from {}",
                          fmt::join(kFolders, ", "), here.string()));
}

}  // namespace espalier::tools
