// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Checksums of what all engines compute on a set of fabrics: two builds that print the same compute the same tables, so
// that code can be rearranged without a doubt.
//
//   table_checksums [FOLDER ...]
//
// Generated fabrics, whole and damaged, and the net files in the folders, whole and with 5 % of their links gone. One
// line per fabric, options and engine: a checksum of tables, warnings, schedule and source offsets, or of why the
// engine declines. Takes about ten minutes of one core.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/engines/engines.h"
#include "core/fabric/faults.h"
#include "core/fabric/generators/modifiers.h"
#include "core/io/fabric_reader.h"
#include "core/io/file.h"
#include "core/schedule/schedule.h"
#include "core/tree/rank.h"
#include "tests/support/drawing.h"
#include "tests/support/fabrics.h"

namespace espalier {
namespace {

// FNV-1a over 64 bits.
class Checksum {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte, value >>= 8) hash_ = (hash_ ^ (value & 0xFF)) * 0x100000001B3U;
  }
  void add(std::string_view text) {
    for (const char c : text) add(std::uint64_t{static_cast<unsigned char>(c)});
    add(text.size());
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325U;
};

std::string result_of(const Fabric& fabric, const Result<Routing>& routing) {
  Checksum sum, words;
  if (!routing) {
    words.add(routing.error().text());
    return fmt::format("declines, in words {:016x}", words.value());
  }
  for (const SwitchId s : fabric.switches())
    for (const PortNum port : routing->tables.row(s)) sum.add(index(port));
  for (const std::string& warning : routing->warnings) words.add(warning);
  if (routing->schedule) {
    const Schedule& schedule = *routing->schedule;
    for (const std::uint64_t word : {std::uint64_t{schedule.phases}, std::uint64_t{schedule.bound}}) sum.add(word);
    for (const Guid guid : schedule.servers) sum.add(index(guid));
    for (const Send& send : schedule.sends) {
      sum.add(send.destination);
      sum.add(index(send.dlid));
    }
  }
  if (routing->source_offsets) {
    for (const std::uint32_t radix : routing->source_offsets->radices) sum.add(radix);
    for (const std::uint8_t number : routing->source_offsets->number) sum.add(number);
  }
  return fmt::format("{:016x}, in words {:016x}", sum.value(), words.value());
}

// Every fifth host of a leaf is storage, every seventh service.
NodeTypes some_types(const Fabric& fabric) {
  NodeTypes types;
  for (const char* name : {"compute", "service", "storage"}) types.types.push_back({name, 1});
  types.of_endport = IdVector<EndportId, NodeTypeId>(fabric.num_endports());
  for (const EndportId e : fabric.endports()) {
    const std::size_t port = index(fabric.at(e).leaf_port);
    types.of_endport[e] = NodeTypeId{static_cast<std::uint16_t>(port % 5 == 0 ? 2 : port % 7 == 0 ? 1 : 0)};
  }
  return types;
}

void print(const std::string& name, const FatTree& tree, std::string_view options_name, std::string_view engine,
           const EngineOptions& options) {
  const std::string result = result_of(tree.fabric(), make_engine(engine, options)->route(tree));
  std::puts(fmt::format("{}: {}{}: {}", name, engine, options_name, result).c_str());
  std::fflush(stdout);
}

void run_all(const std::string& name, const Fabric& fabric) {
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return;
  for (const std::string_view engine : engine_names()) print(name, *tree, "", engine, {});
  EngineOptions options;
  options.switch_paths.how = SwitchPaths::kUpDown;
  print(name, *tree, " updown", "dmodc", options);
  options.switch_paths.how = SwitchPaths::kNone;
  print(name, *tree, " none", "dmodc", options);
  options = {};
  options.sftree_base = SftreeBase::kDmodc;
  print(name, *tree, " dmodc", "sftree", options);
  options = {};
  options.balance_ms = 100;
  print(name, *tree, " 100 ms", "balanced", options);
  options = {};
  options.seed = 1005;
  for (const char* engine : {"randsp", "ftree-random"}) print(name, *tree, " seed 1005", engine, options);
}

void run_with_lids(const std::string& name, const Fabric& plain, std::uint8_t lmc) {
  const Fabric fabric = test::with_lmc(plain, lmc);
  const Result<FatTree> tree = rank(fabric);
  if (!tree) return;
  const std::string lmc_name = fmt::format(" lmc {}", lmc);
  for (const char* engine : {"dmodc", "balanced", "leiserson", "fors", "randsp", "ftree2"})
    print(name, *tree, lmc_name, engine, {});
  EngineOptions options;
  options.node_types = some_types(fabric);
  for (const auto mode : {GxmodkMode::kInterleaved, GxmodkMode::kGrouped, GxmodkMode::kAuto}) {
    options.gxmodk_mode = mode;
    options.storage_share = 0.5;
    print(name, *tree, fmt::format("{} typed {}", lmc_name, static_cast<int>(mode)), "gxmodk", options);
  }
}

void run(const std::string& name, const Fabric& fabric) {
  run_all(name, fabric);
  if (fabric.num_endports() > 1'500) return;
  run_with_lids(name, fabric, 2);
  run_with_lids(name, fabric, 4);
}

Fabric damaged(const Fabric& fabric, std::size_t links, std::size_t switches, std::uint64_t seed) {
  return *degrade(fabric, {.links = links, .switches = switches, .seed = seed});
}

struct Case {
  const char* kind;
  const char* spec;
  std::size_t links, switches, missing_hosts, empty_places;
};
constexpr Case kCases[] = {
    {"pgft", "2;12,8;1,6;1,2", 20, 0, 0, 0},
    {"pgft", "3;4,3,2;1,2,2;1,1,1", 5, 0, 0, 0},
    {"pgft", "4;2,2,2,2;1,1,1,1;1,2,4,8", 2, 0, 0, 0},
    {"pgft", "3;27,6,6;1,3,18;1,3,1", 40, 9, 0, 0},
    {"pgft", "3;18,9,8;1,18,3;1,1,1", 130, 20, 100, 0},
    {"pgft", "4;4,4,4,4;1,4,4,4;1,1,1,1", 60, 12, 0, 0},
    {"mport", "36,2", 30, 2, 0, 0},
    {"directors", "54,12,12;1,36;12,1", 30, 0, 0, 0},
    {"directors", "58,18,9;3,36", 59, 0, 0, 8},
    {"pgft", "3;24,12,30;1,24,3;1,1,1", 432, 0, 0, 0},
};

void run_generated() {
  for (const Case& c : kCases) {
    Modifiers modifiers;
    modifiers.missing_hosts = c.missing_hosts;
    modifiers.empty_places = c.empty_places;
    modifiers.seed = 7;
    const Fabric whole = *modify(test::generated(c.kind, c.spec), modifiers);
    const std::string name = fmt::format("{} {}", c.kind, c.spec);
    run(name, whole);
    run(fmt::format("{}, {} links gone", name, c.links), damaged(whole, c.links, 0, 1001));
    if (c.switches > 0) run(fmt::format("{}, {} switches gone", name, c.switches), damaged(whole, 0, c.switches, 1002));
  }
}

void run_file(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path.string());
  if (!text) return;
  Result<ParsedNet> net = read_fabric(*text, path.string());
  if (!net) return;
  if (!net->builder.assign_lids(0, FabricBuilder::Numbering::kKeepComplete)) return;
  const Result<Fabric> fabric = std::move(net->builder).build();
  if (!fabric) return;
  run(path.stem().string(), *fabric);
  const std::size_t links = most_damage(*fabric).links / 20;
  if (links > 0) run(fmt::format("{}, {} links gone", path.stem().string(), links), damaged(*fabric, links, 0, 1003));
}

}  // namespace
}  // namespace espalier

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      if (entry.path().extension() == ".net") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) espalier::run_file(file);
  }
  espalier::run_generated();
  return 0;
}
