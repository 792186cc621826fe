// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/engines/balanced/balanced_shares.h"

#include <algorithm>
#include <span>

#include "core/base/parallel.h"

namespace espalier {
namespace {

constexpr std::size_t kBlocks = 16;  // of destinations; sums are formed block by block, whatever the threads
constexpr int kRounds = 8;
constexpr float kRate = 0.25F;  // at most so much of a share moves in a round

float to_the_seventh(float x) { return x * x * x * x * x * x * x; }
float to_the_fourth(float x) { return x * x * x * x; }

// Neighbouring destinations first .. last-1 that are a pod for others: a shift brings all flows of a pod to one of
// these, or part to one and part to the next.
struct Group {
  std::size_t first = 0;
  std::size_t last = 0;
  std::uint32_t hosts = 0;
};

std::vector<Group> find_groups(const std::vector<Inbound>& inbound) {
  std::vector<std::uint32_t> size(inbound.size(), 1);
  std::vector<std::size_t> name(inbound.size());
  std::size_t next_name = inbound.size();
  for (std::size_t a = 0; a < name.size(); ++a) name[a] = a;
  for (const Inbound& in : inbound)
    for (const Inbound::Pod& pod : in.pods) {
      ++next_name;
      for (std::uint32_t i = pod.first_source; i < pod.last_source; ++i) {
        const std::uint32_t a = in.sources[i];
        if (pod.last_source - pod.first_source <= size[a]) continue;
        size[a] = pod.last_source - pod.first_source;
        name[a] = next_name;
      }
    }
  std::vector<Group> groups;
  for (std::size_t a = 0; a < inbound.size(); ++a) {
    if (a == 0 || name[a] != name[a - 1]) groups.push_back({a, a, 0});
    ++groups.back().last;
    groups.back().hosts += inbound[a].at.last - inbound[a].at.first;
  }
  return groups;
}

class Evener {
 public:
  Evener(std::vector<Inbound>& inbound, std::size_t num_switches, std::size_t num_cables)
      : inbound_(inbound), groups_(find_groups(inbound)), num_switches_(num_switches), price_(num_cables) {
    std::vector<float> cells(num_cables);
    for (const Group& group : groups_) {
      add_cells(group, cells);
      for (std::size_t i = group.first; i < group.last; ++i)
        for (const Inbound::Pod& pod : inbound[i].pods)
          for (const Entrance& e : inbound[i].entrances_of(pod))
            fullest_ = std::max(fullest_, flows(group, pod, e, cells));
      clear_cells(group, cells);
    }
  }

  // By the loads under even traffic.
  void set_prices() {
    std::vector<std::vector<float>> loads(kBlocks);
    parallel_for(kBlocks, [&](std::size_t b) {
      loads[b].resize(price_.size());
      std::vector<float> arrived(num_switches_);
      for (std::size_t i = b; i < inbound_.size(); i += kBlocks) add_loads(inbound_[i], arrived, loads[b]);
    });
    for (std::size_t c = 0; c < price_.size(); ++c) {
      float sum = 0;
      for (const std::vector<float>& load : loads) sum += load[c];
      price_[c] = sum;
    }
    const float most = std::max(1.0F, *std::max_element(price_.begin(), price_.end()));
    for (float& price : price_) price = to_the_seventh(price / most);
  }

  // Moves shares from dear entrances to cheap ones.
  void correct() {
    parallel_blocks(groups_.size(), 1, [&](std::size_t first, std::size_t last) {
      std::vector<float> rest(num_switches_);
      std::vector<float> cells(price_.size());
      std::vector<float> cost;
      for (std::size_t g = first; g < last; ++g) {
        const Group& group = groups_[g];
        add_cells(group, cells);
        for (std::size_t i = group.first; i < group.last; ++i) {
          Inbound& in = inbound_[i];
          set_rest(in, rest);
          for (const Inbound::Pod& pod : in.pods) correct(group, in, pod, cells, rest, cost);
        }
        clear_cells(group, cells);
      }
    });
  }

 private:
  static bool is_large(const Group& group, const Inbound::Pod& pod) { return pod.hosts * 2 > group.hosts; }

  void add_cells(const Group& group, std::vector<float>& cells) {
    for (std::size_t i = group.first; i < group.last; ++i)
      for (const Inbound::Pod& pod : inbound_[i].pods)
        if (is_large(group, pod))
          for (const Entrance& e : inbound_[i].entrances_of(pod))
            cells[index(e.cable)] += static_cast<float>(inbound_[i].at.last - inbound_[i].at.first) * e.share;
  }
  void clear_cells(const Group& group, std::vector<float>& cells) {
    for (std::size_t i = group.first; i < group.last; ++i)
      for (const Entrance& e : inbound_[i].entrances) cells[index(e.cable)] = 0;
  }
  // On an entrance, under a shift that sends the pod's flows to as many neighbours.
  static float flows(const Group& group, const Inbound::Pod& pod, const Entrance& e, const std::vector<float>& cells) {
    return static_cast<float>(pod.hosts) *
           (is_large(group, pod) ? cells[index(e.cable)] / static_cast<float>(group.hosts) : e.share);
  }

  void set_rest(const Inbound& in, std::vector<float>& rest) const {
    for (const Inbound::WayDown& way : in.down) rest[index(way.from)] = 0;
    rest[index(in.at.at)] = 0;
    for (std::size_t k = in.down.size(); k-- > 0;) {
      const Inbound::WayDown& way = in.down[k];
      rest[index(way.from)] += way.share * (price_[index(way.cable)] + rest[index(way.to)]);
    }
  }

  static void add_loads(const Inbound& in, std::vector<float>& arrived, std::vector<float>& load) {
    for (const Inbound::Pod& pod : in.pods) {
      const auto flows = static_cast<float>(pod.hosts) * static_cast<float>(in.at.last - in.at.first);
      for (const Entrance& e : in.entrances_of(pod)) {
        load[index(e.cable)] += flows * e.share;
        arrived[index(e.to)] += flows * e.share;
      }
    }
    for (const Inbound::WayDown& way : in.down) {
      load[index(way.cable)] += way.share * arrived[index(way.from)];
      arrived[index(way.to)] += way.share * arrived[index(way.from)];
    }
    for (const Inbound::WayDown& way : in.down) arrived[index(way.from)] = 0;
    arrived[index(in.at.at)] = 0;
  }

  void correct(const Group& group, Inbound& in, const Inbound::Pod& pod, const std::vector<float>& cells,
               const std::vector<float>& rest, std::vector<float>& cost) const {
    const std::span all = in.entrances_of(pod);
    cost.clear();
    float mean = 0;
    for (const Entrance& e : all) {
      const float fullness = flows(group, pod, e, cells) / fullest_;
      cost.push_back(price_[index(e.cable)] + rest[index(e.to)] + to_the_fourth(fullness));
      mean += e.share * cost.back();
    }
    float sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].share *= 1 + kRate * (mean - cost[i]) / (mean + cost[i]);
      sum += all[i].share;
    }
    for (Entrance& e : all) e.share /= sum;
  }

  std::vector<Inbound>& inbound_;
  std::vector<Group> groups_;
  std::size_t num_switches_;
  float fullest_ = 1;         // the most flows() at first, which is the measure of that price
  std::vector<float> price_;  // per cable; 1 for the fullest
};

}  // namespace

void even_out_shares(std::vector<Inbound>& inbound, std::size_t num_switches, std::size_t num_cables) {
  Evener evener(inbound, num_switches, num_cables);
  for (int round = 0; round < kRounds; ++round) {
    evener.set_prices();
    evener.correct();
  }
}

}  // namespace espalier
