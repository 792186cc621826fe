// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// `espalier advise`: which routing engine for this fabric. Each candidate routes it, is judged by the same measures,
// and loses one link and one spine; one is recommended, with the lines for opensm.conf.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/split.h"
#include "core/base/text.h"
#include "core/engines/options.h"
#include "core/tools/command.h"
#include "core/tools/commands.h"
#include "core/tools/inputs/common_options.h"
#include "core/tools/inputs/host_order.h"
#include "core/tools/inputs/opensm_engines.h"
#include "core/tools/inputs/source.h"
#include "core/tools/measure/advised_conf.h"
#include "core/tools/measure/candidate.h"
#include "core/tools/progress_bar.h"
#include "core/tools/summary.h"
#include "core/tree/cabling/tree_shape.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kTreeEngines{"balanced", "dmodc", "ftree2", "sftree"};
constexpr std::size_t kHostsForStock = 3000;  // above, OpenSM's own engines take minutes

struct AdviseOptions {
  Source source;
  std::string order = "names";
  std::string stock = "auto";
  unsigned max_vls = EngineOptions{}.max_vls;
  unsigned threads = 0;
  bool json = false;
};

// Each once.
std::vector<std::string> engines_in(std::string_view list) {
  std::vector<std::string> engines;
  for (const std::string_view word : split(list, ','))
    if (std::find(engines.begin(), engines.end(), word) == engines.end()) engines.emplace_back(word);
  return engines;
}

std::string refuse_stock(const std::string& list) {
  if (list == "auto" || list == "none") return {};
  for (const std::string& engine : engines_in(list))
    if (!is_of_opensm(engine)) return fmt::format("\"{}\" is not one of OpenSM's own engines", engine);
  return {};
}

// On trees `layers` is not asked: it routes them by their levels, as `dmodc` does. Elsewhere it comes first, as engines for
// trees leave much to it, but on one lane.
bool is_no_tree(const Fabric& fabric) {
  const Result<FatTree> tree = rank(fabric);
  return tree && !is_tree_shaped(*tree);
}

std::vector<std::string> our_engines(bool asks_layers) {
  std::vector<std::string> engines;
  if (asks_layers) engines.emplace_back("layers");
  engines.insert(engines.end(), kTreeEngines.begin(), kTreeEngines.end());
  engines.emplace_back("dragonfly");
  return engines;
}

std::vector<std::string> stock_engines(const AdviseOptions& options, const Fabric& fabric, bool asks_layers) {
  if (options.stock == "none") return {};
  if (options.stock != "auto") return engines_in(options.stock);
  if (!has_opensm_and_ibsim()) return {};
  if (fabric.num_endports() > kHostsForStock) {
    warn(fmt::format(
        "OpenSM's own engines are left out because they take long with {}; include them with --stock minhop,updn",
        counted(fabric.num_endports(), "end port")));
    return {};
  }
  if (options.max_vls > 1 && asks_layers) return {"minhop", "updn", "dfsssp", "nue"};
  return {"minhop", "updn", "ftree"};
}

bool has_figures(const Json& candidate) { return candidate.contains("sound_all"); }

// Less is better: both figures in shares of the least of all candidates.
class Score {
 public:
  explicit Score(const Json& candidates) {
    for (const Json& candidate : candidates) {
      if (!has_figures(candidate)) continue;
      least_shift_ = std::min(least_shift_, shift(candidate));
      least_random_ = std::min(least_random_, random(candidate));
    }
  }
  double operator()(const Json& candidate) const {
    return shift(candidate) / least_shift_ + random(candidate) / least_random_;
  }

 private:
  // Of no flow on any channel there is no share: it counts as one.
  static double shift(const Json& candidate) { return std::max(figure_of(candidate, "mu_sp_max"), 1.0); }
  static double random(const Json& candidate) { return std::max(figure_of(candidate, "mu_rp_median"), 1.0); }

  double least_shift_ = std::numeric_limits<double>::infinity();
  double least_random_ = std::numeric_limits<double>::infinity();
};

// Of those that are sound with all traffic, or else for hosts, the best; the earlier one where two are as good. Null
// when nothing routes the fabric.
Json recommended(const Json& candidates) {
  const Score score(candidates);
  const Json* best = nullptr;
  for (const char* verdict : {"sound_all", "sound_hosts"}) {
    for (const Json& candidate : candidates) {
      if (!has_figures(candidate) || !candidate.at(verdict).get<bool>()) continue;
      if (best == nullptr || score(candidate) < score(*best) - 1e-9) best = &candidate;
    }
    if (best != nullptr) return *best;
  }
  return nullptr;
}

Json advise(const AdviseOptions& options) {
  const Fabric fabric = load(options.source, TablesNeed::kNone).fabric;
  refuse_no_switches(fabric, options.source.net);
  const bool asks_layers = is_no_tree(fabric);
  const std::vector<std::string> stock = stock_engines(options, fabric, asks_layers);
  ProgressBar bar("advise");
  const std::vector<std::string> ours = our_engines(asks_layers);
  begin(bar.progress(), ours.size() * kStepsOfOurs + stock.size() * kStepsOfStock);
  const CandidateCase subject(fabric, options.order, options.max_vls, bar.progress());
  Json result;
  Json candidates = Json::array();
  for (const std::string& engine : ours) candidates.push_back(judge_ours(subject, engine));
  for (const std::string& engine : stock) candidates.push_back(judge_stock(subject, engine));
  const Json best = recommended(candidates);
  result["engine"] = best.is_null() ? Json() : best.at("engine");
  result["opensm_conf"] = best.is_null() ? std::vector<std::string>() : opensm_conf(best);
  if (!best.is_null())
    if (const std::vector<std::string> lines = espalier_conf(best, options.order); !lines.empty())
      result["espalier_conf"] = lines;
  result["hosts"] = subject.hosts.size();
  result["switches"] = fabric.num_switches();
  result["candidates"] = std::move(candidates);
  return result;
}

std::string cost_in_words(const Json& candidate, const char* loss) {
  if (!candidate.contains(loss)) return "-";
  return fmt::format("{} / {:.4g}", candidate.at(loss).at("entries").get<std::uint64_t>(),
                     figure_of(candidate.at(loss), "mu_sp_max"));
}

bool is_by_capacity(const Json& candidate) { return candidate.contains("mu_sp_max_per_capacity"); }

// There is none where no cut of the tree tells one, and none by capacity.
std::string bound_in_words(const Json& candidate) {
  if (is_by_capacity(candidate)) return "-";
  const auto bound = candidate.at("bound_sp").get<double>();
  return bound == 0 ? "-" : fmt::format("{}", bound);
}

void print_candidates(const Json& candidates) {
  fmt::print("{:<10} {:<9} {:<9} {:>5} {:>12} {:>8} {:>8} {:>10} {:>10} {:>16} {:>16}\n", "engine", "hosts", "all",
             "lanes", "worst shift", "(bound)", "random", "SM waits", "search", "one link", "one spine");
  for (const Json& candidate : candidates) {
    const auto engine = candidate.at("engine").get<std::string>();
    if (!has_figures(candidate)) {
      const bool declined = candidate.contains("declined");
      fmt::print("{:<10} {}: {}\n", engine, declined ? "declines" : "not run",
                 candidate.at(declined ? "declined" : "not_run").get<std::string>());
      continue;
    }
    const auto verdict = [&](const char* key) { return candidate.at(key).get<bool>() ? "sound" : "UNSOUND"; };
    fmt::print("{:<10} {:<9} {:<9} {:>5} {:>12.4g} {:>8} {:>8.4g} {:>10.1f} {:>10} {:>16} {:>16}\n", engine,
               verdict("sound_hosts"), verdict("sound_all"), candidate.at("vls").get<unsigned>(),
               figure_of(candidate, "mu_sp_max"), bound_in_words(candidate), figure_of(candidate, "mu_rp_median"),
               candidate.at("route_ms").get<double>(),
               candidate.contains("search_ms") ? fmt::format("{:.0f}", candidate.at("search_ms").get<double>()) : "-",
               cost_in_words(candidate, "one_link"), cost_in_words(candidate, "one_spine"));
  }
}

constexpr const char* kColumns = R"(
hosts, all: sound for traffic between hosts alone, for all traffic: nothing is lost, and there is no credit loop, in
which packets wait for one another for ever. lanes: virtual lanes that every link needs. worst shift, random: flows
on the fullest channel in the worst shift (host i sends to host i + k), in the median of 200 random permutations; 1
is perfect. (bound): the least worst shift that any tables can have. SM waits: milliseconds of ranking and routing, in
which OpenSM does nothing else. search: milliseconds in which the plugin then improves the tables while OpenSM goes
on, about balance_ms of an idle machine; the figures are those of the improved tables. one link, one spine: entries
that change when it is lost / worst shift afterwards; balanced repairs its tables then, the others route from
scratch.
)";

// How an engine of OpenSM's stands beside the one that is recommended.
std::string standing(const Json& other, const Json& best) {
  if (other.contains("declined")) return "declines";
  if (!other.at("sound_hosts").get<bool>()) return "is UNSOUND";
  if (!other.at("sound_all").get<bool>()) return "is sound between hosts alone";
  const double shift = figure_of(other, "mu_sp_max"), random = figure_of(other, "mu_rp_median");
  if (shift <= figure_of(best, "mu_sp_max") && random <= figure_of(best, "mu_rp_median"))
    return "is as good by these figures";
  return fmt::format("has {:.4g} and {:.4g}", shift, random);
}

// "minhop is UNSOUND; ftree has 4 and 5"
std::string others_of_opensm(const Json& candidates, const Json& best) {
  std::vector<std::string> all;
  for (const Json& other : candidates) {
    const auto engine = other.at("engine").get<std::string>();
    if (other.at("via") == "opensm" && engine != best.at("engine") && !other.contains("not_run"))
      all.push_back(fmt::format("{} {}", engine, standing(other, best)));
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

void print_recommendation(const Json& result) {
  const auto engine = result.at("engine").get<std::string>();
  const Json& candidates = result.at("candidates");
  const Json& best = *std::ranges::find_if(
      candidates, [&](const Json& candidate) { return candidate.at("engine") == engine && has_figures(candidate); });
  fmt::print(
      "recommended: {}: worst shift {:.4g} and random {:.4g} are together the best of the engines that are sound {}\n",
      engine, figure_of(best, "mu_sp_max"), figure_of(best, "mu_rp_median"),
      best.at("sound_all").get<bool>() ? "for all traffic" : "between hosts");
  if (const std::string others = others_of_opensm(candidates, best); !others.empty())
    fmt::print("OpenSM's own: {}\n", others);
  fmt::print("in opensm.conf:\n");
  for (const Json& line : result.at("opensm_conf")) fmt::print("  {}\n", line.get<std::string>());
  if (result.contains("espalier_conf")) {
    fmt::print("in espalier.conf:\n");
    for (const Json& line : result.at("espalier_conf")) fmt::print("  {}\n", printable(line.get<std::string>()));
  }
  if (best.at("via") == "library")
    fmt::print("then, with the package espalier-plugin: espalier doctor, and restart OpenSM (docs/production.md)\n");
}

void print_advice(const Json& result) {
  print_candidates(result.at("candidates"));
  fmt::print("{}", kColumns);
  if (std::ranges::any_of(result.at("candidates"), is_by_capacity))
    fmt::print("Links differ in capacity: flows are divided by what the link carries, in full rates of a host.\n");
  fmt::print("\n");
  if (result.at("engine").is_null()) return fmt::print("no engine computes sound tables for this fabric\n");
  print_recommendation(result);
}

}  // namespace

void add_advise(CLI::App& app) {
  const auto options = std::make_shared<AdviseOptions>();
  CLI::App* command = app.add_subcommand("advise", "Recommend a routing engine for a fabric, with the reasons");
  add_source(*command, options->source, TablesNeed::kNone, "Net file or ibnetdiscover text");
  add_host_order_option(*command, options->order, "How jobs number hosts");
  command
      ->add_option("--stock", options->stock,
                   "OpenSM's engines to compare with, run in the real OpenSM on ibsim: a comma-separated list, auto "
                   "(minhop, updn and ftree, or without a tree minhop, updn, dfsssp and nue, if both programs are "
                   "installed and the fabric is small) or none")
      ->check(refuse_stock, {})
      ->capture_default_str();
  add_vls_option(*command, options->max_vls);
  command->add_flag("--json", options->json, "Print one JSON object instead of a table");
  add_threads_option(*command, options->threads);
  command->footer(
      "Exit code 0: there is a sound engine. 1: there is none. 2: bad input.\n"
      "Example: what should route this cluster?\n  ibnetdiscover > now.net && espalier advise now.net");
  command->callback([options] {
    const Json result = with_threads(options->threads, [&] { return advise(*options); });
    if (options->json)
      print_json(result);
    else
      print_advice(result);
    if (result.at("engine").is_null()) throw AnswerIsNo{};
  });
}

}  // namespace espalier::tools
