// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

#include "core/base/text.h"
#include "core/fabric/fabric_builder.h"
#include "core/io/fabric_reader.h"
#include "core/io/file.h"
#include "core/io/gzip.h"
#include "core/io/lft/lft_compact.h"
#include "core/io/lft/lft_dump.h"
#include "core/io/lists/guid_file.h"
#include "core/io/lists/switch_rules_file.h"
#include "core/io/net/net_writer.h"
#include "core/io/scanner.h"
#include "core/tools/inputs/fabric_text.h"
#include "core/tools/inputs/node_names.h"
#include "core/tools/quiet.h"

namespace espalier::tools {
namespace {

constexpr std::size_t kMaxWarnings = 20;

bool quiet = false;  // of the process: set once, before a subcommand runs

bool is_standard(const std::string& path) { return path.empty() || path == "-"; }

// Of all switches and end ports, ascending; those that have none first.
std::vector<Lid> base_lids(FabricBuilder& builder) {
  std::vector<Lid> bases;
  for (std::size_t i = 0; i < builder.num_switches(); ++i)
    bases.push_back(builder.at(id_at<FabricBuilder::SwitchHandle>(i)).lid);
  for (std::size_t i = 0; i < builder.num_endports(); ++i)
    bases.push_back(builder.at(id_at<FabricBuilder::EndportHandle>(i)).lid);
  std::sort(bases.begin(), bases.end());
  return bases;
}

// Gives each end port 2^lmc LIDs from the one that it has in the file on, where nobody else's are among them: the LIDs of
// a subnet whose file does not say its LMC. False, and nothing has changed, where there is no room.
// REQUIRES: `bases` are those of the builder, of everybody.
bool keep_base_lids(FabricBuilder& builder, const std::vector<Lid>& bases, std::uint8_t lmc) {
  const std::size_t count = std::size_t{1} << lmc;
  for (std::size_t i = 0; i < builder.num_endports(); ++i) {
    const Lid base = builder.at(id_at<FabricBuilder::EndportHandle>(i)).lid;
    const auto next = std::upper_bound(bases.begin(), bases.end(), base);
    const std::size_t end = next == bases.end() ? index(kMaxUnicastLid) + 1 : index(*next);
    if (index(base) % count != 0 || index(base) + count > end) return false;
  }
  for (std::size_t i = 0; i < builder.num_endports(); ++i) builder.at(id_at<FabricBuilder::EndportHandle>(i)).lmc = lmc;
  return true;
}

// Errors of what has no file of its own are about this one.
template <class T>
T value_of(Result<T> result, const std::string& path) {
  if (!result && result.error().file.empty()) result.error().file = path;
  return value_or_refuse(std::move(result));
}

Status write_all(std::FILE* out, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), out) == text.size()) return {};
  return fail(fmt::format("cannot write: {}", std::strerror(errno)));
}

// REQUIRES: `write` returns a Status. Standard output is written in place, a file beside itself (file.h).
template <class Write>
void save(const std::string& path, Write write) {
  if (!is_standard(path)) return succeed_or_refuse(write_file(path, std::function<Status(std::FILE*)>(write)));
  if (Status done = write(stdout); !done) {
    if (done.error().file.empty()) done.error().file = "standard output";
    throw Refused{std::move(done.error())};
  }
  if (std::fflush(stdout) != 0)
    throw Refused{{fmt::format("cannot write: {}", std::strerror(errno)), "standard output", 0, {}}};
}

}  // namespace

void be_quiet() { quiet = true; }
bool is_quiet() { return quiet; }

void tell(std::string_view line) {
  if (!quiet) fmt::print(stderr, "espalier: {}\n", line);
}

void warn(std::string_view message) {
  if (!quiet) fmt::print(stderr, "espalier: warning: {}\n", printable(message));
}

std::string load_text(const std::string& path) {
  std::string content = value_or_refuse(read_file(path == "-" ? "/dev/stdin" : path, kForPerson));
  if (is_gzip(content)) content = value_or_refuse(gunzip(content, path, kForPerson.bytes));
  // Not every reader goes by lines.
  content.erase(0, content.size() - io::without_byte_order_mark(content).size());
  return content;
}

bool is_missing(const std::string& path) {
  std::error_code error;
  return !std::filesystem::exists(path, error) && !error;
}

FabricBuilder load_fabric_builder(const std::string& path, PortGuids port_guids) {
  const std::string text = load_fabric_text(path);
  ParsedNet net = value_or_refuse(read_fabric(text, path, port_guids));
  for (std::size_t i = 0; i < net.warnings.size() && i < kMaxWarnings; ++i) warn(net.warnings[i].text());
  if (net.warnings.size() > kMaxWarnings)
    warn(fmt::format("{}: {} more of these", path, net.warnings.size() - kMaxWarnings));
  name_nodes(net.builder);
  return std::move(net.builder);
}

Fabric build_fabric(FabricBuilder builder, const std::string& path, std::optional<unsigned> lmc) {
  const auto wanted = static_cast<std::uint8_t>(lmc.value_or(0));
  const std::vector<Lid> bases = base_lids(builder);
  const bool is_complete = bases.empty() || bases.front() != kNoLid;
  if (!is_complete || (lmc && !keep_base_lids(builder, bases, wanted))) {
    if (Status ok = builder.assign_lids(wanted, FabricBuilder::Numbering::kKeepComplete); !ok)
      value_of(Result<bool>(tl::unexpected(ok.error())), path);
  }
  return value_of(std::move(builder).build(), path);
}

Fabric load_fabric(const std::string& path, std::optional<unsigned> lmc) {
  return build_fabric(load_fabric_builder(path, PortGuids::kNodePlusPort), path, lmc);
}

void refuse_no_switches(const Fabric& fabric, const std::string& path) {
  if (fabric.num_switches() == 0) throw Refused{{"it contains no switch: there is nothing to route", path, 0, {}}};
}

RankOptions load_rank_options(const std::string& roots_path, const std::string& compute_path,
                              const std::string& switch_rules_path) {
  RankOptions options;
  if (!roots_path.empty()) options.roots = value_or_refuse(read_guids(load_text(roots_path), roots_path));
  if (!compute_path.empty()) options.compute_ports = value_or_refuse(read_guids(load_text(compute_path), compute_path));
  if (!switch_rules_path.empty())
    options.switches = value_or_refuse(read_switch_rules(load_text(switch_rules_path), switch_rules_path));
  return options;
}

void save_text(const std::string& path, std::string_view text) {
  save(path, [&](std::FILE* out) { return write_all(out, text); });
}

void save_fabric(const std::string& path, const Fabric& fabric) { save_text(path, write_net(fabric)); }

void save_tables(const std::string& path, const Fabric& fabric, const ForwardingTables& tables) {
  const auto dump = [&](std::FILE* out) { return write_lfts(out, fabric, tables); };
  const auto compact = [&](std::FILE* out) { return write_all(out, write_compact_lfts(fabric, tables)); };
  if (path.ends_with(".tables")) return save(path, [&](std::FILE* out) { return gzip_into(out, compact); });
  if (path.ends_with(".gz")) return save(path, [&](std::FILE* out) { return gzip_into(out, dump); });
  save(path, dump);
}

std::string describe(const VerifyReport& report) {
  std::string text;
  for (const Violation& violation : report.violations)
    text += fmt::format("{}: {}\n", name(violation.kind), violation.text);
  text += fmt::format("{} in {}\n", counted(report.num_violations, "violation"),
                      counted(report.num_entries, "entry", "entries"));
  return text;
}

}  // namespace espalier::tools
