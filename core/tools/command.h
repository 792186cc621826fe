// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What the subcommands share: how they read, write, fail and measure.
//
// Exit codes: 0 the answer is yes, 1 the answer is no (tables that are unsound, dumps that differ), 2 no answer: the
// command line or a file is wrong.
#pragma once

#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/analysis/soundness/verify.h"
#include "core/base/result.h"
#include "core/fabric/fabric.h"
#include "core/fabric/forwarding_tables.h"
#include "core/io/net/net_reader.h"
#include "core/tree/rank.h"

namespace espalier::tools {

// ---- how a command fails ----

// Ends the command with exit code 2 and "espalier: " + error.text().
struct Refused {
  Error error;
};
// Ends the command with exit code 1; it has printed its reasons.
struct AnswerIsNo {};

template <class T>
[[nodiscard]] T value_or_refuse(Result<T> result) {
  if (!result) throw Refused{std::move(result.error())};
  return *std::move(result);
}
inline void succeed_or_refuse(Status status) {
  if (!status) throw Refused{std::move(status.error())};
}

// "espalier: warning: ..." on standard error.
void warn(std::string_view message);

// ---- reading ----

// Reads a fabric of any format that read_fabric() knows; "-" is standard input. LIDs are those of the file when each
// node has one, and with `lmc` when each end port has room for 2^lmc from its base LID on; otherwise all are assigned.
[[nodiscard]] Fabric load_fabric(const std::string& path, std::optional<unsigned> lmc = std::nullopt);
// The same in two steps, for those who look for the LMC. `path`: for errors.
[[nodiscard]] FabricBuilder load_fabric_builder(const std::string& path, PortGuids port_guids);
[[nodiscard]] Fabric build_fabric(FabricBuilder builder, const std::string& path, std::optional<unsigned> lmc);

// Files as OpenSM's root_guid_file and cn_guid_file, and rules about switches (io/lists/switch_rules_file.h); empty
// paths: nothing is given.
[[nodiscard]] RankOptions load_rank_options(const std::string& roots_path, const std::string& compute_path,
                                            const std::string& switch_rules_path = {});

// Throws Refused when a fabric has no switch, and so nothing to route. `path`: for the error.
void refuse_no_switches(const Fabric& fabric, const std::string& path);

[[nodiscard]] std::string load_text(const std::string& path);
// Whether there is no such file. A path that may not be looked at is not missing: load_text() says what is wrong with it.
[[nodiscard]] bool is_missing(const std::string& path);

// ---- writing ----

// An empty path or "-" is standard output.
void save_text(const std::string& path, std::string_view text);
void save_fabric(const std::string& path, const Fabric& fabric);
void save_tables(const std::string& path, const Fabric& fabric, const ForwardingTables& tables);

// Everything that verify found, as text of several lines.
[[nodiscard]] std::string describe(const VerifyReport& report);

// ---- running ----

// Runs `work` with this many threads, but no more than there are processors; 0: as many as these.
template <class Work>
auto with_threads(unsigned threads, Work work) {
  const int most = tbb::info::default_concurrency();  // TBB would say on standard error that it has no more
  tbb::task_arena arena(threads == 0 ? most : std::min(most, static_cast<int>(threads)));
  return arena.execute(std::move(work));
}

}  // namespace espalier::tools
