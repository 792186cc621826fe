// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/measure/figures_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/io/export/json_text.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

struct Label {
  std::string_view key;
  std::string_view words;
  std::string_view unit = {};
};

// Flows on the fullest channel, in the order of the table.
constexpr std::array kFullest{
    Label{"mu_sp_max", "worst shift"},
    Label{"mu_sp_mean", "mean over shifts"},
    Label{"mu_rp_median", "random"},
    Label{"mu_bisect_median", "random halves"},
    Label{"mu_bibisect_median", "random halves, both ways"},
    Label{"mu_ring_median", "random rings"},
    Label{"mu_biring_median", "random rings, both ways"},
    Label{"Xi_a2a", "all to all"},
    Label{"xi_a2a", "all to all, links of hosts too"},
    Label{"mu_a2a", "all to all: ends"},
    Label{"Xi_scatter_max", "one to all, worst"},
    Label{"Xi_scatter_mean", "one to all, mean"},
    Label{"Xi_gather_max", "all to one, worst"},
    Label{"Xi_gather_mean", "all to one, mean"},
    Label{"mu_phase_max", "between types, worst phase"},
    Label{"mu_phase_mean", "between types, mean"},
    Label{"mu_phase_all", "between types, all: ends"},
    Label{"mu_phase_back_max", "and back, worst phase"},
    Label{"mu_phase_back_mean", "and back, mean"},
    Label{"mu_phase_back_all", "and back, all: ends"},
    Label{"load_matrix", "matrix, by weight"},
    Label{"Xi_matrix", "matrix"},
    Label{"mu_matrix", "matrix: ends"},
};

// Everything else whose key does not say it.
constexpr std::array kOthers{
    Label{"nu", "links on a path, mean"},
    Label{"diameter", "links on a path, most"},
    Label{"detours", "pairs on a detour"},
    Label{"flows_matrix", "flows of the matrix"},
    Label{"lengths", "pairs by links of the path"},
    Label{"seconds", "time", " s"},
    Label{"slowest_phase", "slowest phase", " s"},
    Label{"least_throughput", "throughput, least"},
    Label{"throughput_ci95", "throughput, 95 % +-"},
    Label{"tbps", "all hosts together", " Tbit/s"},
    Label{"offered", "offered", " phits per node and cycle"},
    Label{"undelivered", "not delivered"},
    Label{"latency_mean", "latency, mean", " cycles"},
    Label{"latency_ci95", "latency, 95 % +-", " cycles"},
    Label{"latency_p50", "latency, median", " cycles"},
    Label{"latency_p95", "latency, 95 % below", " cycles"},
    Label{"latency_p99", "latency, 99 % below", " cycles"},
    Label{"hops_mean", "hops, mean"},
    Label{"misrouted", "misrouted, share"},
    Label{"utilization", "links in use, share"},
    Label{"measured", "measured", " cycles"},
    Label{"delivered", "delivered", " packets"},
    Label{"packet_hops", "hops of all packets"},
    Label{"cpu_s", "processor time", " s"},
};

// Patterns in keys: "levels_a2a".
constexpr std::array kPatterns{
    Label{"a2a", "all to all"},
    Label{"sp", "shifts"},
    Label{"rp", "random"},
    Label{"bisect", "random halves"},
    Label{"bibisect", "halves both ways"},
    Label{"ring", "random rings"},
    Label{"biring", "rings both ways"},
    Label{"scatter", "one to all"},
    Label{"gather", "all to one"},
    Label{"phase", "between types"},
};

// Enough digits to read.
std::string number(double x, int digits = 4) {
  if (x == std::floor(x) || std::abs(x) >= 1000) return fmt::format("{:.0f}", x);
  return fmt::format("{:.{}g}", x, digits);
}

std::string blanks_for_underscores(std::string_view key) {
  std::string words(key);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

// "level 0, direction up, channels 8": an object within a list.
std::string value_in_words(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  if (value.is_number()) return number(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_object()) return json_text(value);
  std::string text;
  for (const auto& item : value.items())
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", blanks_for_underscores(item.key()),
                    item.value().is_object() ? "(" + value_in_words(item.value()) + ")" : value_in_words(item.value()));
  return text;
}

template <class Labels>
const Label* find_label(const Labels& labels, std::string_view key) {
  const auto found = std::find_if(labels.begin(), labels.end(), [&](const Label& label) { return label.key == key; });
  return found == labels.end() ? nullptr : &*found;
}

std::string label_of(std::string_view key) {
  for (const auto& [prefix, words] : {std::pair{"unrouted_", "not delivered"}, std::pair{"levels_", "levels"}}) {
    if (!key.starts_with(prefix)) continue;
    const std::string_view name = key.substr(std::string_view(prefix).size());
    const Label* const pattern = find_label(kPatterns, name);
    return fmt::format("{}, {}", words,
                       pattern == nullptr ? blanks_for_underscores(name) : std::string(pattern->words));
  }
  const Label* const known = find_label(kOthers, key);
  return known == nullptr ? blanks_for_underscores(printable(key)) : std::string(known->words);
}

// A line for a figure, a line for each part of a list or an object.
std::string lines_of(const std::string& key, const Json& value, int width) {
  const std::string label = label_of(key);
  std::string text;
  if (value.is_array()) {
    for (const Json& item : value) text += fmt::format("{:<{}} {}\n", label, width, value_in_words(item));
  } else if (value.is_object()) {
    for (const auto& [inner, part] : value.items())
      text += fmt::format("{:<{}} {} {}\n", label, width, blanks_for_underscores(inner), value_in_words(part));
  } else {
    const Label* const known = find_label(kOthers, key);
    text = fmt::format("{:<{}} {}{}\n", label, width, value_in_words(value), known == nullptr ? "" : known->unit);
  }
  return text;
}

constexpr int kLabelWidth = 31;

std::string key_per_capacity(std::string_view key) { return fmt::format("{}_per_capacity", key); }

// "mu_rp_" of "mu_rp_median", which has company; else empty.
std::string_view draws_of(std::string_view key) {
  constexpr std::string_view kMedian = "median";
  return key.ends_with(kMedian) ? key.substr(0, key.size() - kMedian.size()) : std::string_view{};
}

std::string spread_of_draws(const Json& figures, std::string_view draws) {
  const auto of = [&](std::string_view metric, int digits = 4) {
    return number(figures.at(fmt::format("{}{}", draws, metric)).get<double>(), digits);
  };
  return fmt::format("  median of {}: mean {} +- {}, quartiles {} to {}, 95 % from {} to {}, most {}\n", of("draws"),
                     of("mean"), of("stderr", 2), of("q1"), of("q3"), of("q40_1"), of("q40_39"), of("max"));
}

// The figures of kFullest that are there, one below the other; beside them those by capacity and the least possible,
// where there are such.
std::string fullest_channels(const Json& figures) {
  const Json bounds = figures.value("bound", Json::object());
  const auto is_there = [&](const Label& label) { return figures.contains(label.key); };
  const bool by_capacity = std::any_of(kFullest.begin(), kFullest.end(), [&](const Label& label) {
    return figures.contains(key_per_capacity(label.key));
  });
  if (std::none_of(kFullest.begin(), kFullest.end(), is_there)) return {};
  const auto cell = [](const Json& of, const std::string& key) {
    return of.contains(key) ? number(of.at(key).get<double>()) : std::string();
  };
  std::string text = fmt::format("{:<{}} {:>9}{}{}\n", "Flows on the fullest channel", kLabelWidth, "flows",
                                 by_capacity ? "  by capacity" : "", bounds.empty() ? "" : "  at least");
  std::string whys;
  for (const Label& label : kFullest) {
    const std::string key(label.key);
    if (!figures.contains(key)) continue;
    std::string line = fmt::format("{:<{}} {:>9}", label.words, kLabelWidth, cell(figures, key));
    if (by_capacity) line += fmt::format("{:>13}", cell(figures, key_per_capacity(key)));
    if (!bounds.empty()) line += fmt::format("{:>10}", cell(bounds, key));
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
    if (!draws_of(key).empty()) text += spread_of_draws(figures, draws_of(key));
    if (bounds.contains(key + "_why"))
      whys += fmt::format("at least {}, {}: {}\n", cell(bounds, key), label.words,
                          printable(bounds.at(key + "_why").get<std::string>()));
  }
  return text + whys;
}

// Whether the table or the line above it has this figure.
bool is_shown_above(const Json& figures, std::string_view key) {
  constexpr std::array<std::string_view, 6> kHead{"hosts", "switches", "host_order", "host_rate", "bound", "parts"};
  if (std::find(kHead.begin(), kHead.end(), key) != kHead.end()) return true;
  return std::any_of(kFullest.begin(), kFullest.end(), [&](const Label& label) {
    const std::string_view draws = draws_of(label.key);
    const bool is_of_draws = !draws.empty() && key.starts_with(draws) && figures.contains(label.key);
    return key == label.key || key == key_per_capacity(label.key) || is_of_draws;
  });
}

std::string first_line(const Json& result) {
  const auto count = [&](const char* key) { return result.at(key).get<std::uint64_t>(); };
  std::string line =
      fmt::format("{} on {}", counted(count("hosts"), "host"), counted(count("switches"), "switch", "switches"));
  if (result.contains("host_order"))
    line += fmt::format(", numbered by {}", printable(result.at("host_order").get<std::string>()));
  if (result.contains("host_rate"))
    line += fmt::format("; capacity 1 is {}", printable(result.at("host_rate").get<std::string>()));
  return line + '\n';
}

// For who reads the figures for the first time.
constexpr std::string_view kLegend =
    "\n(Worst shift: host i sends to host i + k, the worst k; random: the median of random permutations; 1 is\n"
    "perfect: no two flows share a channel between switches. Detour: a route longer than the shortest path.)\n";

}  // namespace

std::string analysis_text(const Json& result) {
  std::string text = first_line(result) + fullest_channels(result);
  for (const Json& part : result.value("parts", Json::array()))
    text += fmt::format("Part {}: {}, weight {}\n{}", printable(part.at("part").get<std::string>()),
                        counted(part.at("hosts").get<std::uint64_t>(), "host"), number(part.at("weight").get<double>()),
                        fullest_channels(part));
  for (const auto& [key, value] : result.items())
    if (!is_shown_above(result, key)) text += lines_of(key, value, kLabelWidth);
  if (result.contains("mu_sp_max") || result.contains("mu_rp_median")) text += kLegend;
  return text;
}

std::string simulation_text(const Json& result) {
  constexpr int kNarrow = 20;
  std::string text;
  for (const auto& [key, value] : result.items())
    text += value.is_object() ? fmt::format("{:<{}} {}\n", label_of(key), kNarrow, value_in_words(value))
                              : lines_of(key, value, kNarrow);
  return text;
}

}  // namespace espalier::tools
