// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets, cycle by cycle, through input-buffered routers with credits and virtual channels.
//
// The model is that of Garcia et al. 2013, IV: each port of a router has a FIFO for each virtual channel of the link
// that comes in; the packet at its head asks for an output (policy.h); an output serves one packet at a time, for as
// long as its phits take on the link, and only when the buffer behind has room for all of it (virtual cut-through) or
// for a flit (wormhole). The head of a packet arrives `latency` cycles after it was sent and may be sent on at once;
// the room that a packet took is told upstream `latency` cycles after its tail has left.
//
// Nothing is scanned. What will happen at a known time (arrivals, credits, births, and ends of transmissions that somebody
// waits for) is in event wheels. Heads of queues wait in lines at the output queue that they prefer; an output is looked at
// only in cycles in which something has happened to it. A large network is bound by memory, so what a hop touches is small,
// and a cycle is a sequence of plain lists that are worked off with what comes next fetched ahead (prefetch.h):
//
//   events.cc      credits, free outputs, arrivals, births: which queues have a new head
//   requests.cc    what each new head asks for (the policy), and its place in the line of an output
//   allocation.cc  which heads win an output, output by output (alternatives.cc: another one than they prefer)
//   transport.cc   winners are on their way, or delivered
//
// One simulator is one thread; the same seed gives the same run everywhere. REQUIRES: less than 2^32 cycles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/large_array.h"
#include "core/packets/policy.h"
#include "core/packets/simulator/bit_set.h"
#include "core/packets/simulator/counters.h"
#include "core/packets/simulator/event_wheel.h"
#include "core/packets/simulator/fill_levels.h"
#include "core/packets/simulator/list.h"
#include "core/packets/simulator/records.h"
#include "core/packets/simulator/router_sets.h"
#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

class Simulator {
 public:
  // All outlive the simulator.
  Simulator(const Network& network, const Parameters& parameters, Policy& policy, Traffic& traffic, std::uint64_t seed);

  // So many cycles; for many at a time it takes less.
  void advance(Cycle cycles);
  void step() { advance(1); }

  [[nodiscard]] Cycle now() const { return state_.now; }
  [[nodiscard]] const State& state() const { return state_; }
  // Of packets delivered since the last reset_counters().
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const LatencyHistogram& latencies() const { return latencies_; }
  void reset_counters();

  // Over the whole run.
  [[nodiscard]] std::uint64_t packet_hops() const { return packet_hops_; }
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  // Packets whose policy had no path for them; they are dropped.
  [[nodiscard]] std::uint64_t undelivered() const { return undelivered_; }
  // How many cycles ago the oldest packet that still waits at a node was born; the mean over the nodes that send. Where
  // more is offered than the network takes it grows without end.
  [[nodiscard]] double source_delay() const;
  // When the last phit of the last packet arrived so far.
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }

  // The number of packets at the heads of queues that can never move again: each output that they may take is held by
  // others of them. Not those that merely wait long. The wait-for graph, see wait_for_graph.cc.
  [[nodiscard]] std::uint64_t deadlocked() const;

 private:
  void make_parts(std::uint64_t seed);
  void make_regions();
  [[nodiscard]] std::size_t bytes_of(Router r) const;
  [[nodiscard]] Random& random_of(Router r) { return randoms_[part_of_[r]]; }
  void cycle(std::uint32_t region);
  void fetch(const RegionState& region) const;
  [[nodiscard]] Reach reach(const PortEnd& end) const {
    if (end.kind == PortClass::kNode) return kToNode;
    return end.latency >= lookahead_ ? kOutside : kInside;
  }
  template <class Event>
  void hand_over(List<Crossing<Event>>& crossings, EventWheel<Event> RegionState::*wheel);

  void size_queues();
  void place_queues();
  void size_ports();
  void size_sets();
  void size_levels();
  void size_lists();
  void start_senders();

  // Steps that one file alone calls are inline there, those of several in queues.h and lines.h: each hop takes them all.
  // ---- events (events.cc) ----
  void take_credits();
  void take_credit(std::uint32_t output);
  void see_drained(Port out, std::uint32_t vc, std::uint32_t units, std::uint32_t room);
  void take_heads();
  void come_forward(std::uint32_t queue);
  void take_frees();
  void take_inputs();
  void take_arrivals();
  void wake(Router r) { wake_if(true, r); }
  // As likely as not, so without a branch.
  void wake_if(bool condition, Router r) {
    const bool asleep = awake_[r] == 0;
    region_->awake.add_if(condition & asleep, r);
    awake_[r] |= static_cast<std::uint8_t>(condition);
  }

  // The output may be able to take one of those that wait for it.
  void list_if(bool condition, Port out) {
    bool& listed = ports_[out].listed;
    listed_.add_if(condition & !listed, out);
    listed |= condition;
  }

  // ---- queues (queues.h) ----
  void push(const Unit& unit);
  // So many of the ring are before it.
  void wait_behind(const Unit& unit, std::uint32_t before);
  void come_later(std::uint32_t queue);
  void go_on(std::uint32_t queue);
  void pop(std::uint32_t queue, Cycle until);
  void free_room(std::uint32_t queue, Cycle at);

  // ---- nodes (injection.cc) ----
  void take_births();
  void inject(Node node);
  [[nodiscard]] std::uint32_t places_taken(std::uint32_t queue) const;
  void wait_for_room(Node node, std::uint32_t first_queue);
  [[nodiscard]] std::uint8_t injection_vc(const Sender& sender, std::uint32_t first_queue);
  [[nodiscard]] PacketId take_unused();
  [[nodiscard]] PacketId make_unused();
  void share_unused();
  void give_unused(PacketId id) {
    Unused& mine = region_->unused;
    mine.ids[mine.count++] = id;
    if (mine.count == mine.ids.size()) share_unused();
  }
  PacketId make_packet(Node node, Cycle birth, Random& random);

  // ---- requests (requests.cc) ----
  void ask();
  void sort(const Unit& head);
  void ask_its_node(const Unit& head);
  void ask_policy(const Unit& head);
  void drop(const Unit& head);
  void wait_for(const Wait& wait);
  void line_up();
  void line_up(const Wait& wait);
  void seek(const Wait& wait);

  // ---- allocation (allocation.cc, alternatives.cc) ----
  void allocate();
  void fetch_lines(Port out) const;
  enum class Who : std::uint8_t { kAll, kInTransit };
  void serve(Port out);
  // A virtual channel of these.
  [[nodiscard]] std::uint32_t choose_vc(Port out, std::uint32_t ready);
  // The same where not every head may leave that waits for an output with room.
  void serve_picky(Port out, Who who);
  // Whether anybody left.
  bool serve_line(Port out, std::uint32_t vc, Who who);
  void divert_all();
  // Whether anybody left, and others may do so in the next cycle with no event to say so.
  bool serve_alternatives(const Here& here);
  void divert_line(const Here& here, std::uint32_t position, std::uint32_t vc, Openings& open);
  [[nodiscard]] std::uint32_t divert(const Here& here, std::uint32_t queue, const Openings& open);
  [[nodiscard]] bool find_below(const Here& here, std::uint32_t position, std::uint32_t vc, Openings& open);
  [[nodiscard]] std::uint32_t choose_any(const Here& here, const Request& request, const Openings& open);
  [[nodiscard]] std::uint32_t choose_emptiest(const Here& here, const Request& request, const Openings& open);
  [[nodiscard]] bool may_cross(std::uint32_t queue) const {
    return !one_input_ || busy_in_[port_of(queue)] <= state_.now;
  }
  [[nodiscard]] Here here_of(Router router, Port first) {
    return {router, first, state_.queue(first, 0), &next_[state_.queue(first, 0)]};
  }

  // ---- lines (lines.h) ----
  [[nodiscard]] std::uint32_t first_turn(const Here& here, std::uint32_t count);
  // Takes the one after `before` out of the line.
  void leave(const Here& here, std::uint32_t position, std::uint32_t vc, std::uint16_t before);
  void stop_seeking(const Here& here, std::uint32_t position, std::uint32_t vc);
  void win(const Here& here, std::uint32_t queue, std::uint32_t position, std::uint32_t vc);
  void take_room(const Here& here, std::uint32_t queue, std::uint32_t output);

  // ---- transport (transport.cc) ----
  void transport();
  void move(const Winner& winner);
  void arrive();
  void tell_of_room();
  void unblock(const Room& room);
  void deliver(PacketId id, Cycle at);
  void end(PacketId id, Cycle at);

  // ---- wait-for graph ----
  [[nodiscard]] bool may_ever_move(std::uint32_t queue, const std::vector<char>& live) const;
  [[nodiscard]] bool may_open(std::uint32_t queue, Port out, std::uint32_t vc, const std::vector<char>& live) const;
  [[nodiscard]] bool may_clear(std::uint32_t queue, Port out, std::uint32_t vc, const std::vector<char>& live) const;

  [[nodiscard]] Port port_of(std::uint32_t queue) const { return queue >> state_.vc_bits; }
  [[nodiscard]] std::uint32_t vc_of(std::uint32_t queue) const { return queue & vc_mask_; }
  [[nodiscard]] std::uint32_t first_queue(Router r) const { return state_.queue(network_.first_port[r], 0); }

  const Network& network_;
  const Parameters& parameters_;
  Policy& policy_;
  Traffic& traffic_;
  State state_;
  std::uint32_t units_of_packet_;
  std::uint32_t injection_places_;
  std::uint32_t vc_mask_ = 0;  // of a queue's number, see State::queue()
  std::uint32_t horizon_;
  std::uint32_t lookahead_ = kIdle;  // the least latency of links between parts; kIdle: there is one part
  std::vector<Part> parts_;
  std::vector<Random> randoms_;         // of each part
  std::vector<std::uint32_t> part_of_;  // of each router
  std::vector<RegionState> regions_;
  std::vector<std::uint32_t> region_of_;  // of each router
  RegionState* region_ = nullptr;         // that whose cycle is being worked off
  bool wormhole_;
  bool one_input_;  // CrossbarInputs::kOneForPort
  bool picky_;      // not every head may leave that waits for an output with room
  bool traffic_reacts_;
  bool policy_follows_departures_;
  bool policy_follows_credits_;
  bool policy_diverts_;
  bool compares_ports_;  // Occupancy::kPort
  bool ahead_ = true;    // all of the network at a time, so what comes next is fetched ahead

  LargeVector<PortState> ports_;
  LargeVector<Cycle> busy_in_;   // by port; one_input_: when the input may send again
  LargeVector<BitWord> sought_;  // by port: all outputs that heads that wait for it may take instead
  // By queue (State::queue()): of what comes in by the port.
  LargeVector<Queue> queues_;
  LargeVector<Ring> rings_;
  LargeVector<PacketId> slots_;      // of rings
  LargeVector<Request> requests_;    // of the head, while it waits and has alternatives
  LargeVector<std::uint16_t> next_;  // place of the next in the same line; after the last comes the first
  // By output (State::queue()): of what leaves by the port.
  LargeVector<std::uint32_t> holder_;  // the queue whose packet holds it (wormhole); kIdle: nobody
  LargeVector<Line> lines_;
  // By router.
  RouterSets sets_;
  FillLevels levels_;  // where policies have alternatives
  std::vector<std::uint8_t> awake_;
  // Of this cycle.
  struct Today {
    EventList<Unit> units;
    EventList<std::uint32_t> numbers;
  };
  Today today_;
  List<Router> served_list_;
  List<Unit> new_heads_;
  List<Wait> waits_;
  std::array<List<Unit>, 2> sorted_;  // new heads that still go on, and those whose node is here
  List<Port> listed_;                 // outputs that may take one of those that wait
  List<Port> busy_;                   // outputs that somebody waits for who did not before, and that are not free
  List<Winner> winners_;
  std::array<List<Leaving>, kReaches> leaving_;
  std::array<List<Room>, kReaches> room_;
  std::vector<Node> woken_;  // by deliveries

  LargeVector<Packet> packets_;
  std::vector<PacketId> unused_;
  LargeVector<Router> router_of_node_;
  LargeVector<Port> node_port_;
  LargeVector<Sender> senders_;
  std::uint32_t num_blocked_ = 0;  // of these

  Counters counters_;
  LatencyHistogram latencies_;
  std::uint64_t packet_hops_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t undelivered_ = 0;
  Cycle last_progress_ = 0;
  Cycle last_delivery_ = 0;
};

}  // namespace espalier::packets
