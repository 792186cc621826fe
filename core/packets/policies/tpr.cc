// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// TPR: traffic-pattern-based adaptive routing (Faizian 2018, chapter 4). UGAL-L whose offset depends on what the
// traffic looks like from the source router: counters over a window of h = 50 packets' time say how much of it goes to the
// same place from here (loc) and from others (glo); two limits make each benign, mixed or adversarial; a table has the
// offset for each of the nine cases (tables 4.5 and 4.6).
//
//   paper         counts packets                                                          of
//   DestC_i       started here, to router i of this group                                 router, member
//   Port_thr_i    of other routers of this group, that leave by port i                    port
//   DestGrpC_i    started here, to group i                                                router, group
//   Thr_GrpC_i    of other routers, that pass here on their way to group i                router, group
//   (ours)        started in this group, to group i                                       group, group
//
// The last one is not the paper's: a router that sends to a group to which its group sends little else does not take its
// own traffic for adversarial (traffic_classes.h).
//
// The limit `thr` of table 4.5 is not published: Parameters::tpr_limit.
//
// Where groups have many links to each other, as in the dissertation, table 4.6 can keep benign traffic minimal whatever
// queues say, or with offsets of 500 packets and more. Where two groups have a single link, what routers take for benign
// can be more than it carries, and no queue holds as much as such an offset. So between groups no offset favors the
// minimal path by more than half a queue (Parameters::tpr_most_offset): when it is full, packets go another way.
#include <algorithm>

#include "core/packets/policies/ugal.h"
#include "core/packets/simulator/event_wheel.h"
#include "core/packets/traffic_classes.h"

namespace espalier::packets {
namespace {

// The window, in the time that a packet takes on a link: the paper's 50 cycles, in which packets are single flits (4.2.1).
constexpr Cycle kWindow = 50;
constexpr double kBuffer = 32;  // packets, for which the tables are tuned

class Tpr : public Ugal {
 public:
  explicit Tpr(const PolicyInputs& in)
      : Ugal(in),
        limit_(in.parameters->tpr_limit),
        most_offset_(in.parameters->tpr_most_offset),
        window_(kWindow * in.parameters->packet_phits),
        packet_(in.parameters->measure == QueueMeasure::kPhits ? in.parameters->packet_phits : 100.0 / kBuffer),
        groups_(in.dragonfly->num_groups()),
        members_(in.dragonfly->group_size()),
        to_member_(0),
        through_port_(to_member_ + in.network->num_routers() * members_),
        to_group_(through_port_ + in.network->num_ports()),
        through_group_(to_group_ + in.network->num_routers() * groups_),
        between_groups_(through_group_ + in.network->num_routers() * groups_),
        counts_(between_groups_ + groups_ * groups_, 0) {}

  // What starts here is counted even if there is nothing to choose: within a group no detour may have been drawn.
  [[nodiscard]] Request request(const State& state, const Place& place, Packet& packet, Random& random) override {
    if (packet.hops == 0) {
      const std::uint32_t here = dragonfly_.group(place.router);
      const std::uint32_t there = dragonfly_.group(packet.target);
      if (here == there) {
        count(member_counter(place.router, packet));
      } else {
        count(to_group_ + place.router * groups_ + there);
        count(between_groups_ + here * groups_ + there);
      }
    }
    return Ugal::request(state, place, packet, random);
  }

  void tick(const State& state, const Region& region) override {
    now_ = state.now;
    while (ends_.size() <= region.number) ends_.emplace_back(window_);
    region_ = region.number;
    today_.clear();
    ends_[region_].take(now_, today_);
    for (const std::uint32_t counter : today_) --counts_[counter];
  }

  [[nodiscard]] bool follows_departures() const override { return true; }
  void sent(const State& state, Packet& packet, Port out) override {
    const PortEnd& end = state.network->ports[out];
    const Router source = state.network->router_of(packet.source);
    if (source != end.router) {
      if (dragonfly_.group(source) == dragonfly_.group(end.router)) count(through_port_ + out);
      count(through_group_ + end.router * groups_ + dragonfly_.group(packet.target));
    }
  }

 protected:
  [[nodiscard]] bool minimal_is_better(const State& state, const Packet& packet, const CandidatePaths& candidates,
                                       Random& /*random*/) override {
    const Router r = candidates.r;
    const std::uint32_t here = dragonfly_.group(r);
    const std::uint32_t group = dragonfly_.group(packet.target);
    const bool inside = group == here;
    const double local = inside ? per_cycle(member_counter(r, packet))
                                : local_impact(dragonfly_, here, group, per_cycle(to_group_ + r * groups_ + group),
                                               per_cycle(between_groups_ + here * groups_ + group));
    const double global =
        per_cycle(inside ? through_port_ + candidates.minimal.first : through_group_ + r * groups_ + group);
    const Treatment cell = treatment(inside ? Extent::kWithinGroup : Extent::kBetweenGroups, {local, global});
    switch (cell.kind) {
      case Treatment::Kind::kMinimal:
        return local_rule(state, packet, candidates, most_offset_ * packet_);
      case Treatment::Kind::kValiant:
        return false;
      case Treatment::Kind::kMinimalIfCalm:
        if (local + global < limit_) return true;
        [[fallthrough]];
      default:
        return local_rule(state, packet, candidates,
                          (inside ? cell.offset : std::min(cell.offset, most_offset_)) * packet_);
    }
  }

 private:
  void count(std::uint32_t counter) {
    ++counts_[counter];
    ends_[region_].add(now_ + window_, counter);
  }
  [[nodiscard]] std::uint32_t member_counter(Router r, const Packet& packet) const {
    return to_member_ + r * members_ + dragonfly_.member(packet.target);
  }
  // Phits in a cycle, so that the limits mean the same for packets of any length.
  [[nodiscard]] double per_cycle(std::uint32_t counter) const { return counts_[counter] / double{kWindow}; }

  double limit_;
  double most_offset_;  // packets
  Cycle window_;
  double packet_;  // in QueueMeasure
  std::uint32_t groups_;
  std::uint32_t members_;
  // Where the counters of each kind begin.
  std::uint32_t to_member_;
  std::uint32_t through_port_;
  std::uint32_t to_group_;
  std::uint32_t through_group_;
  std::uint32_t between_groups_;
  std::vector<std::uint32_t> counts_;
  // By region: counters that fall by one, as a packet leaves the window.
  std::vector<EventWheel<std::uint32_t>> ends_;
  EventList<std::uint32_t> today_;
  std::uint32_t region_ = 0;
  Cycle now_ = 0;
};

}  // namespace

std::unique_ptr<Policy> make_tpr(const PolicyInputs& in) { return std::make_unique<Tpr>(in); }

}  // namespace espalier::packets
