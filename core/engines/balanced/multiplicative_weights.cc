// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/multiplicative_weights.h"

#include <algorithm>
#include <span>

#include "core/base/parallel.h"
#include "core/engines/balanced/parameters.h"

namespace espalier {
namespace {

constexpr std::size_t kDestinationBlocks = 16;  // of destinations; sums are formed block by block, whatever the threads

template <int kExponent>
float power(float x) {
  float product = x;
  for (int i = 1; i < kExponent; ++i) product *= x;
  return product;
}

// Neighboring destinations first .. last-1 that are one pod for others: a shift brings all flows of a pod to one such
// group, or part to one and part to the next.
struct DestinationPod {
  std::size_t first = 0;
  std::size_t last = 0;
  std::uint32_t hosts = 0;
};

std::vector<DestinationPod> find_destination_pods(const std::vector<Ingress>& ingress) {
  std::vector<std::uint32_t> size(ingress.size(), 1);
  std::vector<std::size_t> name(ingress.size());
  std::size_t next_name = ingress.size();
  for (std::size_t a = 0; a < name.size(); ++a) name[a] = a;
  for (const Ingress& in : ingress)
    for (const Ingress::Pod& pod : in.pods) {
      ++next_name;
      for (std::uint32_t i = pod.first_source; i < pod.last_source; ++i) {
        const std::uint32_t a = in.sources[i];
        if (pod.last_source - pod.first_source <= size[a]) continue;
        size[a] = pod.last_source - pod.first_source;
        name[a] = next_name;
      }
    }
  std::vector<DestinationPod> pods;
  for (std::size_t a = 0; a < ingress.size(); ++a) {
    if (a == 0 || name[a] != name[a - 1]) pods.push_back({a, a, 0});
    ++pods.back().last;
    pods.back().hosts += ingress[a].destination.size();
  }
  return pods;
}

class MultiplicativeWeights {
 public:
  MultiplicativeWeights(std::vector<Ingress>& ingress, std::size_t num_switches, std::size_t num_channels)
      : ingress_(ingress), groups_(find_destination_pods(ingress)), num_switches_(num_switches), price_(num_channels) {
    std::vector<float> shift_load(num_channels);
    for (const DestinationPod& group : groups_) {
      add_shift_loads(group, shift_load);
      for (std::size_t i = group.first; i < group.last; ++i)
        for (const Ingress::Pod& pod : ingress[i].pods)
          for (const IngressChannel& c : ingress[i].channels_of(pod))
            most_flows_ = std::max(most_flows_, flows(group, pod, c, shift_load));
      clear_shift_loads(group, shift_load);
    }
  }

  // By the loads under uniform traffic.
  void set_prices() {
    std::vector<std::vector<float>> loads(kDestinationBlocks);
    parallel_for(kDestinationBlocks, [&](std::size_t b) {
      loads[b].resize(price_.size());
      std::vector<float> arrived(num_switches_);
      for (std::size_t i = b; i < ingress_.size(); i += kDestinationBlocks) add_loads(ingress_[i], arrived, loads[b]);
    });
    for (std::size_t c = 0; c < price_.size(); ++c) {
      float sum = 0;
      for (const std::vector<float>& load : loads) sum += load[c];
      price_[c] = sum;
    }
    const float most = std::max(1.0F, *std::max_element(price_.begin(), price_.end()));
    for (float& price : price_) price = power<kBalanced.channel_price_power>(price / most);
  }

  // Multiplies all shares by their weights.
  void reweight() {
    parallel_blocks(groups_.size(), 1, [&](std::size_t first, std::size_t last) {
      std::vector<float> downstream(num_switches_);
      std::vector<float> shift_load(price_.size());
      std::vector<float> cost;
      for (std::size_t g = first; g < last; ++g) {
        const DestinationPod& group = groups_[g];
        add_shift_loads(group, shift_load);
        for (std::size_t i = group.first; i < group.last; ++i) {
          Ingress& in = ingress_[i];
          set_downstream(in, downstream);
          for (const Ingress::Pod& pod : in.pods) reweight(group, in, pod, shift_load, downstream, cost);
        }
        clear_shift_loads(group, shift_load);
      }
    });
  }

 private:
  // Under some shift the pod's flows go to more than half of the group at once.
  static bool fills(const Ingress::Pod& pod, const DestinationPod& group) { return pod.hosts * 2 > group.hosts; }

  // Per ingress channel: how many destinations of the group it serves, for pods that fill the group.
  void add_shift_loads(const DestinationPod& group, std::vector<float>& shift_load) const {
    for (std::size_t i = group.first; i < group.last; ++i)
      for (const Ingress::Pod& pod : ingress_[i].pods)
        if (fills(pod, group))
          for (const IngressChannel& c : ingress_[i].channels_of(pod))
            shift_load[index(c.channel)] += static_cast<float>(ingress_[i].destination.size()) * c.share;
  }
  void clear_shift_loads(const DestinationPod& group, std::vector<float>& shift_load) const {
    for (std::size_t i = group.first; i < group.last; ++i)
      for (const IngressChannel& c : ingress_[i].channels) shift_load[index(c.channel)] = 0;
  }
  // On an ingress channel, under a shift that sends the pod's flows to as many neighbors of the destination.
  static float flows(const DestinationPod& group, const Ingress::Pod& pod, const IngressChannel& c,
                     const std::vector<float>& shift_load) {
    return static_cast<float>(pod.hosts) *
           (fills(pod, group) ? shift_load[index(c.channel)] / static_cast<float>(group.hosts) : c.share);
  }

  // Per ancestor of the destination: the price of the paths down from it, in the mean.
  void set_downstream(const Ingress& in, std::vector<float>& downstream) const {
    for (const Ingress::DownChannel& down : in.down) downstream[index(down.from)] = 0;
    downstream[index(in.destination.at)] = 0;
    for (std::size_t k = in.down.size(); k-- > 0;) {
      const Ingress::DownChannel& down = in.down[k];
      downstream[index(down.from)] += down.share * (price_[index(down.channel)] + downstream[index(down.to)]);
    }
  }

  static void add_loads(const Ingress& in, std::vector<float>& arrived, std::vector<float>& load) {
    for (const Ingress::Pod& pod : in.pods) {
      const auto flows = static_cast<float>(pod.hosts) * static_cast<float>(in.destination.size());
      for (const IngressChannel& c : in.channels_of(pod)) {
        load[index(c.channel)] += flows * c.share;
        arrived[index(c.to)] += flows * c.share;
      }
    }
    for (const Ingress::DownChannel& down : in.down) {
      load[index(down.channel)] += down.share * arrived[index(down.from)];
      arrived[index(down.to)] += down.share * arrived[index(down.from)];
    }
    for (const Ingress::DownChannel& down : in.down) arrived[index(down.from)] = 0;
    arrived[index(in.destination.at)] = 0;
  }

  void reweight(const DestinationPod& group, Ingress& in, const Ingress::Pod& pod, const std::vector<float>& shift_load,
                const std::vector<float>& downstream, std::vector<float>& cost) const {
    const std::span all = in.channels_of(pod);
    cost.clear();
    float mean = 0;
    for (const IngressChannel& c : all) {
      const float relative = flows(group, pod, c, shift_load) / most_flows_;
      cost.push_back(price_[index(c.channel)] + downstream[index(c.to)] + power<kBalanced.shift_price_power>(relative));
      mean += c.share * cost.back();
    }
    float sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].share *= 1 + kBalanced.learning_rate * (mean - cost[i]) / (mean + cost[i]);
      sum += all[i].share;
    }
    for (IngressChannel& c : all) c.share /= sum;
  }

  std::vector<Ingress>& ingress_;
  std::vector<DestinationPod> groups_;
  std::size_t num_switches_;
  float most_flows_ = 1;      // the most flows() at first, to which loads under shifts are related
  std::vector<float> price_;  // per channel; 1 for the one with the highest load
};

}  // namespace

void balance_shares(std::vector<Ingress>& ingress, std::size_t num_switches, std::size_t num_channels) {
  MultiplicativeWeights weights(ingress, num_switches, num_channels);
  for (int round = 0; round < kBalanced.rounds; ++round) {
    weights.set_prices();
    weights.reweight();
  }
}

}  // namespace espalier
