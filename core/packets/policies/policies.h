// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The routing policies by name. To add one: a file with a make_ function, and one line in the list of policies.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/fabric/forwarding_tables.h"
#include "core/fabric/lanes.h"
#include "core/packets/dragonfly.h"
#include "core/packets/policy.h"
#include "core/packets/source_paths.h"

namespace espalier::packets {

// What a policy may need; it outlives the policy.
struct PolicyInputs {
  const Network* network = nullptr;
  const Dragonfly* dragonfly = nullptr;  // nullptr: the fabric is none
  std::string why_no_dragonfly = {};     // then; empty: nobody has looked
  const Parameters* parameters = nullptr;
  const ForwardingTables* tables = nullptr;  // nullptr: none are given
  const Lanes* lanes = nullptr;              // of the tables; nullptr: one lane
  std::vector<Lid> lids = {};                // with tables: the destination LID of each node
  std::vector<std::uint32_t> levels = {};    // of each router of a tree, 0 at the bottom; empty: this is none
  // Tables that follow: routers take them one after the other, the first at cycle `change_at`, the last `change_over`
  // cycles later. In between old and new routes are mixed. nullptr: there are none.
  const ForwardingTables* next_tables = nullptr;
  Cycle change_at = 0;
  Cycle change_over = 0;
  const SourcePaths* paths = nullptr;  // nullptr: none are given
  PathCounts* counts = nullptr;        // where UGAL and its kin write down the paths that they choose; nullptr: nowhere
};

// Under which switching a policy is free of deadlock.
enum class Safety : std::uint8_t { kAll, kCutThrough };

// What a policy cannot do without.
enum class Needs : std::uint8_t { kDragonfly, kCompleteGroups, kTables, kLevels, kPaths };

// What some policies go by and others never look at: Parameters of the same names; and PolicyInputs::counts.
enum class PolicyOption : std::uint8_t {
  kThreshold,
  kOccupancy,
  kDiverts,
  kGlobalMisroute,
  kSpreadVcs,
  kValiant,
  kMeasure,
  kWeight,
  kUgalOffset,
  kPiggybackPeriod,
  kPiggybackOffset,
  kTprLimit,
  kTprMostOffset,
  kContentionLimit,
  kCounts,
};

struct PolicyEntry {
  std::string_view name;
  std::string_view what;  // for --help
  std::unique_ptr<Policy> (*make)(const PolicyInputs&);
  std::vector<PolicyOption> options = {};
  Needs needs = Needs::kDragonfly;
  Safety safety = Safety::kAll;
};

// In the order of --help.
[[nodiscard]] const std::vector<PolicyEntry>& policies();
// The names of those that go by this option.
[[nodiscard]] std::vector<std::string_view> policies_with(PolicyOption option);

// Errors: no such policy; what it needs is not given; the switching is none that the policy is safe under.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicyInputs& inputs);

// Each in the file of its name.
[[nodiscard]] std::unique_ptr<Policy> make_minimal(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_valiant(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_piggyback(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_ugal_local(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_ugal_global(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_credit_round_trip(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_par(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_par62(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_rlm(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_rlm_without_table(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_olm(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_tpr(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_contention_base(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_contention_hybrid(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_contention_broadcast(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_paths(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_tables(const PolicyInputs& in);
[[nodiscard]] std::unique_ptr<Policy> make_adaptive_tree(const PolicyInputs& in);

}  // namespace espalier::packets
