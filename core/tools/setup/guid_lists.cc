// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/setup/guid_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/endport_index.h"
#include "core/io/file.h"
#include "core/io/lists/guid_file.h"
#include "core/io/scanner.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kMostLines = 10;  // of one list

enum class ListedKind : std::uint8_t {
  kRoots,      // switches, or CAs on them by port GUID
  kSwitches,   //
  kHostPorts,  //
  kPorts,      // of hosts and switches
  kNodes,      // hosts and switches by node GUID
};

struct ListOption {
  std::string_view name;
  ListedKind wanted;
};
constexpr std::array kListOptions{
    ListOption{"root_guid_file", ListedKind::kRoots},
    ListOption{"cn_guid_file", ListedKind::kHostPorts},
    ListOption{"io_guid_file", ListedKind::kHostPorts},
    ListOption{"ids_guid_file", ListedKind::kSwitches},
    ListOption{"guid_routing_order_file", ListedKind::kPorts},
    ListOption{"hop_weights_file", ListedKind::kSwitches},
    ListOption{"port_search_ordering_file", ListedKind::kSwitches},
    ListOption{"port_prof_ignore_file", ListedKind::kSwitches},
    ListOption{"node_name_map_name", ListedKind::kNodes},
};

// Who has a GUID: a switch, a port, or an adapter by its node GUID (its first port).
class Owners {
 public:
  explicit Owners(const Fabric& fabric) : fabric_(fabric), ports_(fabric) {
    for (const EndportId e : fabric.endports()) adapters_.emplace(fabric.at(e).node_guid, e);
  }

  [[nodiscard]] bool is_switch(Guid guid) const { return fabric_.find_switch(guid) != kNoSwitch; }
  [[nodiscard]] bool is_port(Guid guid) const { return ports_.find(guid) != kNoEndport; }
  [[nodiscard]] bool is_adapter(Guid guid) const { return adapters_.contains(guid); }
  [[nodiscard]] bool is_anybody(Guid guid) const { return is_switch(guid) || is_port(guid) || is_adapter(guid); }

  // REQUIRES: is_anybody(guid), of another kind than what is wanted.
  [[nodiscard]] std::string complaint(Guid guid, ListedKind wanted) const {
    if (is_switch(guid))
      return fmt::format("is switch {}; write port GUIDs of hosts", fabric_.at(fabric_.find_switch(guid)).description);
    const bool by_port = is_port(guid);
    const Endport& port = fabric_.at(by_port ? ports_.find(guid) : adapters_.at(guid));
    const std::string owner = fmt::format("is the {} GUID of {}", by_port ? "port" : "node", port.description);
    switch (wanted) {
      case ListedKind::kRoots:
      case ListedKind::kSwitches:
        return owner + "; write GUIDs of switches";
      case ListedKind::kNodes:
        return fmt::format("{}; write its node GUID 0x{:016x}", owner, index(port.node_guid));
      case ListedKind::kHostPorts:
      case ListedKind::kPorts:
        break;
    }
    return fmt::format("{}; write its port GUID 0x{:016x}", owner, index(port.port_guid));
  }

  [[nodiscard]] bool is_wanted(Guid guid, ListedKind wanted) const {
    switch (wanted) {
      case ListedKind::kRoots:
        return is_switch(guid) || is_port(guid);
      case ListedKind::kSwitches:
        return is_switch(guid);
      case ListedKind::kHostPorts:
        return is_port(guid);
      case ListedKind::kPorts:
        return is_port(guid) || is_switch(guid);
      case ListedKind::kNodes:
        return is_adapter(guid) || is_switch(guid);
    }
    return false;
  }

 private:
  const Fabric& fabric_;
  EndportIndex ports_;
  std::map<Guid, EndportId> adapters_;
};

struct ReadList {
  std::vector<GuidLine> guids;
  std::vector<Error> errors;  // of the lines that are none
};

// All of them, not up to the first wrong line.
ReadList read_list(const std::string& text, const std::string& path) {
  ReadList list;
  io::Lines lines(text);
  while (const auto next = lines.next()) {
    Result<std::vector<GuidLine>> read = read_guid_lines(*next, path);
    if (!read) {
      read.error().line = lines.number();
      list.errors.push_back(std::move(read.error()));
      continue;
    }
    for (GuidLine& line : *read) {
      line.line = lines.number();
      list.guids.push_back(std::move(line));
    }
  }
  return list;
}

// What is said of single lines.
std::vector<Checkup> look_at_lines(const ListOption& option, const std::string& path, const ReadList& list,
                                   const Owners* owners) {
  const std::string what(option.name);
  std::vector<Checkup> all;
  for (const Error& error : list.errors) all.push_back({what, false, error.text()});
  if (owners == nullptr) return all;
  for (const GuidLine& line : list.guids) {
    if (owners->is_wanted(line.guid, option.wanted)) continue;
    const bool is_there = owners->is_anybody(line.guid);
    const std::string words = is_there ? owners->complaint(line.guid, option.wanted) : "is not in this fabric";
    // A host may be switched off; without a root the levels may be others.
    const bool good = !is_there && option.wanted != ListedKind::kRoots;
    all.push_back({what, good, fmt::format("{}:{}: 0x{:016x} {}", path, line.line, index(line.guid), words)});
  }
  return all;
}

void shorten(std::vector<Checkup>& lines, const std::string& path) {
  std::stable_sort(lines.begin(), lines.end(), [](const Checkup& a, const Checkup& b) { return a.good < b.good; });
  if (lines.size() <= kMostLines) return;
  const std::size_t more = lines.size() - kMostLines;
  const bool good = lines[kMostLines].good;
  lines.resize(kMostLines);
  lines.push_back({lines.front().what, good, fmt::format("{}: {} more like these", path, counted(more, "line"))});
}

// "3 GUIDs, 2 of them in this fabric"
Checkup summary_of(const ListOption& option, const std::string& path, const ReadList& list, const Owners* owners) {
  Checkup summary{std::string(option.name), true, fmt::format("{}: {}", path, counted(list.guids.size(), "GUID"))};
  if (list.guids.empty()) {
    summary.answer += list.errors.empty() ? ", so it has no effect" : "";
    return summary;
  }
  if (owners == nullptr) return summary;
  const auto present = static_cast<std::size_t>(std::count_if(
      list.guids.begin(), list.guids.end(), [&](const GuidLine& line) { return owners->is_anybody(line.guid); }));
  if (present == list.guids.size()) {
    summary.answer += list.guids.size() == 1 ? ", in this fabric" : ", all in this fabric";
  } else if (present == 0) {
    summary.good = false;
    summary.answer += ", none in this fabric: is this the list of another one?";
  } else {
    summary.answer += fmt::format(", {} of them in this fabric", present);
  }
  return summary;
}

std::vector<Checkup> look_at_list(const ListOption& option, const std::string& path, const Owners* owners) {
  const Result<std::string> text = read_file(path);
  if (!text) return {{std::string(option.name), false, text.error().text()}};
  const ReadList list = read_list(*text, path);
  std::vector<Checkup> all{summary_of(option, path, list, owners)};
  std::vector<Checkup> lines = look_at_lines(option, path, list, all.front().good ? owners : nullptr);
  shorten(lines, path);
  all.insert(all.end(), lines.begin(), lines.end());
  return all;
}

Result<std::vector<Guid>> guids_of_option(const OpenSmConf& conf, const std::string& option) {
  const auto named = conf.guid_lists.find(option);
  if (named == conf.guid_lists.end()) return std::vector<Guid>{};
  ESPALIER_TRY(const std::string text, read_file(named->second));
  return read_guids(text, named->second);
}

// A list of roots or leaves that lacks some makes a tree of more levels, or turns it upside down.
void compare_levels(const OpenSmConf& conf, const Fabric& fabric, std::vector<Checkup>& all) {
  const Result<RankOptions> named = rank_options_of(conf);
  if (!named || (named->roots.empty() && named->compute_ports.empty())) return;
  const Result<FatTree> with = rank(fabric, *named);
  const Result<FatTree> without = rank(fabric);
  if (!with || !without || with->num_levels() <= without->num_levels()) return;
  const bool by_roots = !named->roots.empty();
  all.push_back({by_roots ? "root_guid_file" : "cn_guid_file", false,
                 fmt::format("with this list the fabric has {} levels, without it {}: does it name all {}?",
                             with->num_levels(), without->num_levels(), by_roots ? "root switches" : "compute hosts")});
}

}  // namespace

bool is_guid_list(std::string_view option) {
  return std::any_of(kListOptions.begin(), kListOptions.end(),
                     [&](const ListOption& list) { return list.name == option; });
}

std::vector<Checkup> look_at_guid_lists(const OpenSmConf& conf, const Fabric* fabric) {
  const std::optional<Owners> owners = fabric == nullptr ? std::nullopt : std::optional<Owners>(std::in_place, *fabric);
  std::vector<Checkup> all;
  for (const ListOption& option : kListOptions) {
    const auto named = conf.guid_lists.find(std::string(option.name));
    if (named == conf.guid_lists.end()) continue;
    const std::vector<Checkup> of_list = look_at_list(option, named->second, owners ? &*owners : nullptr);
    all.insert(all.end(), of_list.begin(), of_list.end());
  }
  if (fabric != nullptr) compare_levels(conf, *fabric, all);
  return all;
}

Result<RankOptions> rank_options_of(const OpenSmConf& conf) {
  RankOptions options;
  ESPALIER_TRY(options.roots, guids_of_option(conf, "root_guid_file"));
  ESPALIER_TRY(options.compute_ports, guids_of_option(conf, "cn_guid_file"));
  return options;
}

}  // namespace espalier::tools
