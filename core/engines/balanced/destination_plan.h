// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which switches have something to choose for a destination switch t, among what, and in which order: the variables of
// the dynamic program in best_response.h. The same for all hosts of t.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/balanced/pieces.h"
#include "core/engines/balanced/sources_below.h"
#include "core/engines/routing_problem.h"
#include "core/tree/tree_channels.h"

namespace espalier {

inline constexpr std::uint32_t kNoPod = 0xFFFFFFFF;

class DestinationPlan {
 public:
  // A channel on a shortest up-down path to t, in the piece of t if pieces are given (pieces.h).
  struct Candidate {
    std::uint8_t number = kNoHop;  // at its switch
    TreeChannelId channel{};
    SwitchId remote = kNoSwitch;
  };
  // One switch.
  struct Decision {
    SwitchId at = kNoSwitch;
    std::uint32_t pod = kNoPod;
    std::uint32_t first_candidate = 0;
    std::uint32_t num_candidates = 0;
  };

  // REQUIRES: the arguments outlive this.
  DestinationPlan(const RoutingProblem& problem, const TreeChannels& channels, const SourcesBelow& below,
                  std::span<const HostRun> sources, const Pieces& allowed);

  // `source`: t as an index of the sources.
  void set_destination(SwitchId t, std::uint32_t source);
  [[nodiscard]] SwitchId destination() const { return destination_; }

  // The ancestors of t, lowest first: they choose a channel downward.
  [[nodiscard]] std::span<const Decision> ancestors() const { return ancestors_; }
  // Whether one of them has a choice, which concerns every source.
  [[nodiscard]] bool ancestors_have_a_choice() const { return ancestors_have_a_choice_; }

  // A pod: switches that meet only above, at ancestors of t (ingress.h). What one chooses is no matter of another.
  [[nodiscard]] std::size_t num_pods() const { return first_of_pod_.size() - 1; }
  // Its switches with sources below them, highest first: they choose a channel upward.
  [[nodiscard]] std::span<const Decision> pod(std::size_t p) const {
    return {inside_.data() + first_of_pod_[p], first_of_pod_[p + 1] - first_of_pod_[p]};
  }
  // Of the index-th source; kNoPod: t itself, an ancestor, or who does not reach t.
  [[nodiscard]] std::uint32_t pod_of_source(std::size_t a) const { return pod_of_source_[a]; }

  [[nodiscard]] std::span<const Candidate> candidates(const Decision& d) const {
    return {candidates_.data() + d.first_candidate, d.num_candidates};
  }

 private:
  [[nodiscard]] Decision decision(SwitchId s, std::span<const PortGroup> groups, std::size_t first_number);
  void number_pods();

  const FatTree& tree_;
  const UpDownCosts& costs_;
  const TreeChannels& channels_;
  const SourcesBelow& below_;
  std::span<const HostRun> sources_;
  const Pieces& allowed_;

  SwitchId destination_ = kNoSwitch;
  std::uint32_t destination_source_ = 0;
  std::vector<Decision> ancestors_;
  std::vector<Decision> inside_;  // pod by pod
  std::vector<std::uint32_t> first_of_pod_;
  std::vector<std::uint32_t> pod_of_source_;
  std::vector<Candidate> candidates_;
  bool ancestors_have_a_choice_ = false;
};

}  // namespace espalier
