// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/inputs/host_order.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "core/base/number.h"
#include "core/base/split.h"
#include "core/fabric/endport_index.h"
#include "core/io/lists/lid_choices_file.h"
#include "core/io/lists/source_offsets_file.h"
#include "core/io/scanner.h"
#include "core/tools/command.h"
#include "core/tools/inputs/flow_files.h"
#include "core/tree/rank.h"

namespace espalier::tools {
namespace {

constexpr unsigned kMostOffset = 127;

// Whether the first line is of a file of core/io/lists/source_offsets_file.h: a host, and its digits if it has any.
bool has_digits_of_hosts(std::string_view text) {
  const std::string_view line = io::trim_right(text.substr(0, text.find_first_of("#\n")));
  return !line.empty() &&
         (line.find('/') != std::string_view::npos || line.find_first_of(" \t") == std::string_view::npos);
}

// All hosts of a file, part by part.
std::vector<EndportId> hosts_in_file(const Fabric& fabric, const std::string& path) {
  std::vector<EndportId> hosts;
  for (const HostPart& part : value_or_refuse(read_host_parts(load_text(path), path, fabric, UnknownHosts::kRefuse)))
    hosts.insert(hosts.end(), part.hosts.begin(), part.hosts.end());
  return hosts;
}

std::vector<HostPart> parts_in_files(const Fabric& fabric, const HostOrderWish& wish, UnknownHosts unknown) {
  std::vector<HostPart> all;
  for (const HostOrderWish::File& file : wish.files) {
    if (is_missing(file.path) && file.path != "-")
      throw Refused{{"--host-order takes names, topology, lid or files, and there is no such file", file.path, 0,
                     "write the names of hosts into a file"}};
    for (HostPart& part : value_or_refuse(read_host_parts(load_text(file.path), file.path, fabric, unknown))) {
      part.weight = file.weight;
      all.push_back(std::move(part));
    }
  }
  return all;
}

std::vector<EndportId> by_lid(const FatTree& tree) {
  const Fabric& fabric = tree.fabric();
  std::vector<EndportId> hosts;
  for (const SwitchId s : fabric.switches()) hosts.insert(hosts.end(), tree.hosts(s).begin(), tree.hosts(s).end());
  std::sort(hosts.begin(), hosts.end(), [&](EndportId a, EndportId b) { return fabric.at(a).lid < fabric.at(b).lid; });
  return hosts;
}

// Traffic to a LID that is not the destination's would be traffic to somebody else.
void refuse_offset_nobody_has(const Fabric& fabric, const std::vector<EndportId>& hosts, std::uint64_t offset) {
  const unsigned lmc = most_lmc(fabric, hosts);
  if (offset >= std::uint64_t{1} << lmc)
    throw Refused{{fmt::format("there is no LID offset {}: the hosts have LMC {}, so offsets go from 0 to {}", offset,
                               lmc, (1U << lmc) - 1),
                   {},
                   0,
                   "use --lmc, or another offset"}};
}

LidUse same_for_all_hosts(const Fabric& fabric, const LidChoiceList& list) {
  return {.kind = LidUse::Kind::kChoices,
          .choices = std::make_shared<const LidChoices>(same_for_all(fabric.num_endports(), list))};
}

// "1,2,2,2": the weights of offsets 0, 1, ...
LidUse weighted_use(const Fabric& fabric, const std::vector<EndportId>& hosts, std::string_view list) {
  const auto refuse = [&](std::string_view word) {
    throw Refused{{fmt::format("\"{}\" are no weights of LID offsets: \"{}\"", list, word),
                   {},
                   0,
                   "write whole numbers up to 255, not all 0, such as weights:1,2,2,2"}};
  };
  LidChoiceList choices;
  std::uint64_t offset = 0;
  for (const std::string_view word : split(list, ',')) {
    const auto weight = parse_number<std::uint8_t>(word);
    if (!weight) refuse(word);
    if (*weight > 0) {
      refuse_offset_nobody_has(fabric, hosts, offset);
      choices.push_back({static_cast<std::uint8_t>(offset), static_cast<double>(*weight)});
    }
    ++offset;
  }
  if (choices.empty()) refuse(list);
  return same_for_all_hosts(fabric, choices);
}

std::shared_ptr<const LidChoices> load_choices(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                               const std::string& path, const std::string& text) {
  auto choices = std::make_shared<const LidChoices>(value_or_refuse(read_lid_choices(text, path, fabric)));
  for (const LidChoiceList& list : choices->lists())
    for (const LidChoice& choice : list) refuse_offset_nobody_has(fabric, hosts, choice.offset);
  return choices;
}

// The ranks of the hosts that a file names, ascending. Refused as well when one is not among `hosts`.
std::vector<std::uint32_t> ranks_in_file(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                         const std::string& path) {
  const std::vector<std::uint32_t> rank_of = ranks_of(fabric, hosts);
  std::vector<std::uint32_t> ranks;
  for (const EndportId e : hosts_in_file(fabric, path)) {
    if (rank_of[index(e)] == kNoRank)
      throw Refused{{fmt::format("{} is not among the hosts", fabric.label(e)), path, 0, {}}};
    ranks.push_back(rank_of[index(e)]);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

void add_host_order_option(CLI::App& command, std::string& order, const std::string& effect) {
  command
      .add_option("--host-order", order,
                  effect +
                      ": names (natural order of node descriptions, adapters of one host together), topology, lid, or "
                      "FILE[:WEIGHT],...: port GUIDs, host names, a Slurm list or the output of sinfo, an MPI hostfile "
                      "or rankfile")
      ->capture_default_str();
  command.add_option("--order", order, "As --host-order")->group("");  // not in the help
}

HostOrder host_order(const FatTree& tree, const std::string& words, UnknownHosts unknown) {
  if (words == "lid") return {.hosts = by_lid(tree), .parts = {}, .basis = "LIDs"};
  const HostOrderWish wish = value_or_refuse(parse_host_order(words == "topological" ? "topology" : words));
  switch (wish.by) {
    case HostOrderWish::By::kNames:
      return order_by_names(tree, descriptions(tree.fabric()));
    case HostOrderWish::By::kTopology:
      return order_by_topology();
    case HostOrderWish::By::kFiles:
      break;
  }
  return order_by_parts(tree, parts_in_files(tree.fabric(), wish, unknown));
}

HostOrder traffic_order(const Fabric& fabric, const std::string& words) {
  const FatTree tree = value_or_refuse(rank(fabric));
  const bool is_word = words == "lid" || words == "names" || words == "topology" || words == "topological";
  if (is_word) {
    HostOrder order = host_order(tree, words);
    order.hosts = hosts_in_order(tree, order);
    return order;
  }
  HostOrder order{.hosts = {}, .parts = {}, .kind = HostOrder::Parts::kOrders, .basis = {}};
  order.parts = parts_in_files(fabric, value_or_refuse(parse_host_order(words)), UnknownHosts::kRefuse);
  IdVector<EndportId, std::uint8_t> seen(fabric.num_endports());
  for (const HostPart& part : order.parts) {
    order.basis += (order.basis.empty() ? "" : ", ") + part.name;
    for (const EndportId e : part.hosts)
      if (seen[e]++ == 0) order.hosts.push_back(e);
  }
  if (order.parts.size() == 1) order.parts.clear();
  return order;
}

std::vector<EndportId> remaining_hosts(const Fabric& whole, const std::vector<EndportId>& hosts, const Fabric& rest) {
  const EndportIndex endports = EndportIndex::of_cabled(rest);
  std::vector<EndportId> remaining;
  for (const EndportId e : hosts)
    if (const EndportId left = endports.find(whole.at(e).port_guid); left != kNoEndport) remaining.push_back(left);
  return remaining;
}

std::vector<std::uint32_t> ranks_of(const Fabric& fabric, const std::vector<EndportId>& hosts) {
  std::vector<std::uint32_t> ranks(fabric.num_endports(), kNoRank);
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) ranks[index(hosts[rank])] = static_cast<std::uint32_t>(rank);
  return ranks;
}

std::vector<std::uint32_t> ranks_named(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                       const NodeTypes& types, const std::string& word) {
  const auto of_word =
      std::find_if(types.types.begin(), types.types.end(), [&](const NodeType& type) { return type.name == word; });
  if (of_word == types.types.end()) {
    if (is_missing(word))
      throw Refused{
          {fmt::format("\"{}\" is neither a type of host here nor a file", word), {}, 0, "see espalier types"}};
    return ranks_in_file(fabric, hosts, word);
  }
  const auto type = id_at<NodeTypeId>(static_cast<std::size_t>(of_word - types.types.begin()));
  std::vector<std::uint32_t> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    if (types.of_endport[hosts[rank]] == type) ranks.push_back(static_cast<std::uint32_t>(rank));
  if (ranks.empty()) throw Refused{{fmt::format("none of the hosts is of type {}", word), {}, 0, {}}};
  return ranks;
}

LidUse lid_use(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::string& words) {
  if (words.starts_with("weights:")) return weighted_use(fabric, hosts, std::string_view(words).substr(8));
  if (words == "all") return {.kind = LidUse::Kind::kEvenly};
  if (const auto offset = parse_number<std::uint64_t>(words)) {
    refuse_offset_nobody_has(fabric, hosts, *offset);
    return {.kind = LidUse::Kind::kOffset, .offset = static_cast<std::uint8_t>(*offset)};
  }
  if (const std::size_t dash = words.find('-'); dash != std::string::npos) {
    const auto first = parse_number<std::uint8_t>(std::string_view(words).substr(0, dash));
    const auto last = parse_number<std::uint8_t>(std::string_view(words).substr(dash + 1));
    if (first && last) {
      if (*last < *first)
        throw Refused{{fmt::format("\"{}\" is not a range of LID offsets such as 1-7", words), {}, 0, {}}};
      refuse_offset_nobody_has(fabric, hosts, *last);
      LidChoiceList choices;
      for (unsigned offset = *first; offset <= *last; ++offset)
        choices.push_back({static_cast<std::uint8_t>(offset), 1});
      return same_for_all_hosts(fabric, choices);
    }
  }
  const std::string text = load_text(words);
  if (has_lid_choices(text))
    return {.kind = LidUse::Kind::kChoices, .choices = load_choices(fabric, hosts, words, text)};
  OffsetTable table(hosts.size());
  if (has_digits_of_hosts(text)) {
    const SourceOffsets offsets = value_or_refuse(read_source_offsets(text, words, fabric));
    for (std::size_t source = 0; source < hosts.size(); ++source)
      for (std::size_t to = 0; to < hosts.size(); ++to) table.set(source, to, offsets.offset(hosts[source], hosts[to]));
    return {.kind = LidUse::Kind::kTable, .table = std::move(table)};
  }
  const auto is_offset = [](double number) {
    if (number <= kMostOffset && number == std::floor(number)) return Status{};
    return Status(fail(fmt::format("\"{}\" is not a LID offset from 0 to {}", number, kMostOffset)));
  };
  const std::vector<Flow> flows = flows_in_file(fabric, hosts, words, is_offset);
  if (flows.empty()) throw Refused{{"it chooses no LID offset; a line is `source destination offset`", words, 0, {}}};
  for (const Flow& flow : flows) table.set(flow.source, flow.destination, static_cast<std::uint8_t>(flow.weight));
  return {.kind = LidUse::Kind::kTable, .table = std::move(table)};
}

}  // namespace espalier::tools
