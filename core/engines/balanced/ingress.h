// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Where the flows to a destination come in: for each pod the cut, in the sense of network flows, between the pod and
// the destination's ancestors. These few choices decide everything else.
//
// Take away the ancestors of a destination switch t, and the switches that reach t fall into connected components, its
// pods: groups that meet only above. All flows of a pod to t cross one of the channels from a switch of the pod to an
// ancestor of t, its ingress channels. In a PGFT such a channel determines the rest: behind it there is one path down,
// and before it one path from each leaf of the pod.
//
// Example: three levels, 12 leaves with 24 hosts in a pod, 24 switches above them with 3 channels up each. For a
// destination in another pod, the pod has 72 ingress channels; for one on another leaf of the same pod, a leaf is a pod
// of its own and has 24.
//
// So there are 72 choices for a pod and a destination where single switches have 12 * 24 + 24 * 3, and, more important,
// a pod that sends all its flows to a destination through one ingress channel keeps its leaves aligned: no two of them
// fill one channel at the same shift by counting each for itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/engines/routing_problem.h"
#include "core/tree/order/host_runs.h"
#include "core/tree/tree_channels.h"

namespace espalier {

struct IngressChannel {
  TreeChannelId channel{};
  SwitchId from = kNoSwitch;  // in the pod
  SwitchId to = kNoSwitch;    // an ancestor of the destination
  float share = 0;            // of the pod's flows to the destination switch; the shares of a pod add up to 1
};

// All that concerns one destination switch t with hosts.
struct Ingress {
  struct Pod {
    std::uint32_t first_channel = 0;  // into `channels`
    std::uint32_t last_channel = 0;
    std::uint32_t first_source = 0;  // into `sources`
    std::uint32_t last_source = 0;
    std::uint32_t hosts = 0;
  };
  struct DownChannel {
    SwitchId from = kNoSwitch;
    TreeChannelId channel{};
    SwitchId to = kNoSwitch;
    float share = 1;  // of what `from` gets
  };
  [[nodiscard]] std::span<IngressChannel> channels_of(const Pod& pod) {
    return {channels.data() + pod.first_channel, pod.last_channel - pod.first_channel};
  }
  [[nodiscard]] std::span<const IngressChannel> channels_of(const Pod& pod) const {
    return {channels.data() + pod.first_channel, pod.last_channel - pod.first_channel};
  }

  HostRun destination;  // t and its hosts
  std::vector<Pod> pods;
  std::vector<IngressChannel> channels;  // pod by pod; neighbors in the list leave different switches
  std::vector<std::uint32_t> sources;    // pod by pod; indices of the sources that were given
  std::vector<DownChannel> down;         // all channels down of ancestors of t to t, the highest switch first
};

// One for each of `destinations`, which are among `sources`. A share is in proportion to the hosts that reach the
// channel.
[[nodiscard]] std::vector<Ingress> find_ingress(const RoutingProblem& problem, const TreeChannels& channels,
                                                std::span<const HostRun> sources,
                                                std::span<const HostRun> destinations);

}  // namespace espalier
