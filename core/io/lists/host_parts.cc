// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lists/host_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/number.h"
#include "core/base/split.h"
#include "core/base/try.h"
#include "core/fabric/rules/host_name.h"
#include "core/io/lists/guid_file.h"
#include "core/io/lists/host_names.h"
#include "core/io/lists/rank_order.h"
#include "core/io/scanner.h"

namespace espalier {
namespace {

struct WordList {
  std::string name;
  std::vector<HostWord> words;
};

bool begins_with_guid(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != std::string_view::npos &&
         (text.substr(begin).starts_with("0x") || text.substr(begin).starts_with("0X"));
}

// Which words of a line of `sinfo` are the partition and its nodes; nothing when this is no heading of it.
struct Columns {
  std::size_t partition = 0;
  std::size_t nodes = 0;
};
std::optional<Columns> sinfo_columns(std::string_view text) {
  io::Lines lines(text);
  const auto heading = io::words_of(lines.next().value_or(std::string_view()));
  const auto partition = std::find(heading.begin(), heading.end(), "PARTITION");
  const auto nodes = std::find(heading.begin(), heading.end(), "NODELIST");
  if (partition == heading.end() || nodes == heading.end()) return std::nullopt;
  return Columns{static_cast<std::size_t>(partition - heading.begin()),
                 static_cast<std::size_t>(nodes - heading.begin())};
}

// A partition has a line for each state of its nodes; together they are sorted as Slurm sorts the nodes of a job.
Result<std::vector<WordList>> read_sinfo(std::string_view text, const std::string& path, Columns columns) {
  std::vector<WordList> partitions;
  io::Lines lines(text);
  (void)lines.next();
  while (const auto line = lines.next()) {
    const auto words = io::words_of(*line);
    if (words.empty()) continue;
    if (words.size() <= std::max(columns.partition, columns.nodes))
      return fail_at(path, lines.number(), "this line has a partition without nodes",
                     "run sinfo with columns %P and %N");
    std::string_view name = words[columns.partition];
    if (name.ends_with('*')) name.remove_suffix(1);
    auto nodes = expand_host_list(words[columns.nodes]);
    if (!nodes) return fail_at(path, lines.number(), nodes.error().message, nodes.error().advice);
    const auto known =
        std::find_if(partitions.begin(), partitions.end(), [&](const WordList& list) { return list.name == name; });
    WordList& list = known == partitions.end() ? partitions.emplace_back(WordList{std::string(name), {}}) : *known;
    for (std::string& node : *nodes) list.words.push_back({std::move(node), lines.number()});
  }
  for (WordList& list : partitions)
    std::stable_sort(list.words.begin(), list.words.end(),
                     [](const HostWord& a, const HostWord& b) { return natural_less(a.name, b.name); });
  return partitions;
}

// The words of a file, list by list. GUIDs are read strictly: they are written by programs, and a double is a mistake
// there, where in a list of ranks a host stands once for each of its processes.
Result<std::vector<WordList>> read_words(std::string_view text, const std::string& path) {
  if (const auto columns = sinfo_columns(text)) return read_sinfo(text, path, *columns);
  if (!begins_with_guid(text))
    return read_rank_order(text, path).map([&](std::vector<HostWord> words) {
      return std::vector<WordList>{{path, std::move(words)}};
    });
  return read_guid_lines(text, path).map([&](const std::vector<GuidLine>& lines) {
    WordList list{path, {}};
    for (const GuidLine& line : lines) list.words.push_back({fmt::format("0x{:016x}", index(line.guid)), line.line});
    return std::vector<WordList>{std::move(list)};
  });
}

}  // namespace

Result<HostOrderWish> parse_host_order(std::string_view words) {
  if (words == "names") return HostOrderWish{};
  if (words == "topology") return HostOrderWish{HostOrderWish::By::kTopology, {}};
  HostOrderWish wish{HostOrderWish::By::kFiles, {}};
  for (const std::string_view word : split(words, ',')) {
    HostOrderWish::File file{std::string(word), 1};
    if (const std::size_t colon = word.rfind(':'); colon != std::string_view::npos) {
      const std::string_view digits = word.substr(colon + 1);
      file.weight = parse_number<double>(digits).value_or(0);
      if (!(file.weight > 0 && file.weight <= 1e9))
        return fail(fmt::format("\"{}\" is not a valid weight for a file", digits),
                    "write FILE or FILE:WEIGHT, such as jobs:2.5");
      file.path = word.substr(0, colon);
    }
    if (file.path.empty())
      return fail("host_order contains an empty file name", "write names, topology, or FILE[:WEIGHT],...");
    wish.files.push_back(std::move(file));
  }
  return wish;
}

Result<std::vector<HostPart>> read_host_parts(std::string_view text, const std::string& path, const Fabric& fabric,
                                              UnknownHosts unknown) {
  ESPALIER_TRY(std::vector<WordList> lists, read_words(text, path));
  const HostNames names(fabric);
  std::vector<HostPart> parts;
  for (const WordList& list : lists) {
    HostPart part{list.name, 1, {}};
    IdVector<EndportId, std::uint8_t> seen(fabric.num_endports());
    for (const HostWord& word : list.words) {
      std::vector<EndportId> ports = names.find(word.name);
      std::string why = names.why_not(word.name, ports);
      if (!why.empty()) ports.clear();
      std::stable_sort(ports.begin(), ports.end(),
                       [&](EndportId a, EndportId b) { return fabric.at(a).lid < fabric.at(b).lid; });
      if (ports.empty() && unknown == UnknownHosts::kRefuse)
        return fail_at(
            path, word.line,
            why.empty() ? fmt::format("\"{}\" is not an end port of the fabric", word.name) : std::move(why),
            "give a port GUID, a LID, the first word of the node description, or all of it in double quotes");
      for (const EndportId e : ports) {
        if (seen[e]++ != 0) return fail_at(path, word.line, fmt::format("\"{}\" is listed twice", word.name));
        part.hosts.push_back(e);
      }
    }
    if (!part.hosts.empty()) parts.push_back(std::move(part));
  }
  if (parts.empty()) return fail_at(path, 0, "it names no host of this fabric");
  return parts;
}

}  // namespace espalier
