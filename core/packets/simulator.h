// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Packets, cycle by cycle, through input-buffered routers with credits and virtual channels.
//
// The model is that of Garcia et al. 2013, IV: each port of a router has a FIFO for each virtual channel of the cable
// that comes in; the packet at its head asks for an output (policy.h); an output serves one packet at a time, for as
// long as its phits take on the cable, and only when the buffer behind has room for all of it (virtual cut-through) or
// for a flit (wormhole). The head of a packet arrives `latency` cycles after it was sent and may be sent on at once; the
// room that a packet took is told upstream `latency` cycles after its tail has left.
//
// Nothing is scanned. What will happen at a known time (arrivals, credits, ends of transmissions, births) is in event
// wheels. Heads of queues wait in lists by the output queue that they prefer; a router is looked at only in cycles in
// which something has happened to it, and then sets of ports, as bits, tell which lists have somebody to send.
//
// One simulator is one thread; the same seed gives the same run everywhere. REQUIRES: less than 2^32 cycles.
#pragma once

#include <cstdint>
#include <vector>

#include "core/packets/counters.h"
#include "core/packets/event_wheel.h"
#include "core/packets/policy.h"
#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

class Simulator {
 public:
  // All outlive the simulator.
  Simulator(const Network& network, const Parameters& parameters, Policy& policy, Traffic& traffic, std::uint64_t seed);

  // One cycle.
  void step();

  [[nodiscard]] Cycle now() const { return state_.now; }
  [[nodiscard]] const State& state() const { return state_; }
  // Of packets delivered since the last reset_counters().
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const LatencyHistogram& latencies() const { return latencies_; }
  void reset_counters();

  // Over the whole run.
  [[nodiscard]] std::uint64_t packet_hops() const { return packet_hops_; }
  [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  // Packets whose policy had no way for them; they are dropped.
  [[nodiscard]] std::uint64_t undelivered() const { return undelivered_; }
  // When the last phit of the last packet arrived so far.
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  // The last cycle in which anything was sent.
  [[nodiscard]] Cycle last_progress() const { return last_progress_; }

  // The number of packets at the heads of queues that can never move again: each output that they may take is held by
  // others of them. Not those that merely wait long. The wait-for graph, see wait_for_graph.cc.
  [[nodiscard]] std::uint64_t deadlocked() const;

 private:
  static constexpr std::uint32_t kIdle = 0xFFFFFFFF;

  // A queue of an input port: a ring of units in slots_, in the order in which they came. The units of a packet are
  // next to each other.
  struct Queue {
    enum class Status : std::uint8_t {
      kEmpty,
      kWaiting,  // its head is in the router's list
      kMoving,   // its head is being sent
      kStalled,  // wormhole: part of a packet was sent on, the next flit is yet to come
    };
    std::uint32_t first_slot = 0;
    std::uint16_t capacity = 0;
    std::uint16_t head = 0;
    std::uint16_t count = 0;
    std::uint16_t sent = 0;  // units of the head's packet that have left
    Status status = Status::kEmpty;
    std::uint8_t out = 0;  // wormhole: where the head's packet goes, once its first flit has left
    std::uint8_t out_vc = 0;
  };
  // A head that waits, in the list of the output queue that it prefers.
  struct Waiting {
    std::uint32_t queue;
    std::uint8_t in;  // position of its port in the router
    bool local_way;   // requests_[queue] has alternatives among local ports
    bool global_way;  // ... among global ports
  };
  // An output queue of a router.
  struct Output {
    Port port;
    std::uint32_t vc;
  };
  struct Arrival {
    std::uint32_t queue;
    PacketId packet;
  };
  // The last phit of a unit has crossed the router; queue kIdle: only the output becomes free; out
  // kNone: there is none.
  struct Departure {
    std::uint32_t queue;
    Port out;
  };
  struct Sender {
    Cycle birth = kNever;     // of the next packet, or of the one that is under way into the router
    PacketId packet = kIdle;  // born, some of its units still at the node
    std::uint16_t units = 0;  // of these
    std::uint8_t vc = 0;
    bool started = false;  // a unit has gone: it stays on its vc
    bool blocked = false;  // no room; the router wakes it
  };

  void size_queues();
  void start_senders();

  // ---- events ----
  void take_credits();
  void take_departures();
  void take_arrivals();
  void take_births();
  void inject(Node node);
  void finish_unit(std::uint32_t queue);
  void become_head(std::uint32_t queue);
  void wait(std::uint32_t queue, std::uint32_t out, std::uint32_t vc, const Request* request);
  void drop(std::uint32_t queue);
  void wake(Router r) {
    if (awake_[r] != 0) return;
    awake_[r] = 1;
    awake_list_.push_back(r);
  }
  void set_free(Port out);
  // The bit of a position in the set that starts at this word.
  static void add(std::vector<std::uint64_t>& sets, std::size_t word, std::uint32_t position) {
    sets[word + position / 64] |= std::uint64_t{1} << (position % 64);
  }
  static void remove(std::vector<std::uint64_t>& sets, std::size_t word, std::uint32_t position) {
    sets[word + position / 64] &= ~(std::uint64_t{1} << (position % 64));
  }
  [[nodiscard]] std::size_t port_set(Router r) const { return std::size_t{r} * words_; }
  [[nodiscard]] std::size_t queue_set(Router r, std::uint32_t vc) const {
    return (std::size_t{r} * state_.vcs + vc) * words_;
  }

  // ---- allocation (allocation.cc) ----
  void allocate();
  // Whether anything was sent.
  bool serve(Router r);
  bool serve_preferred(Router r);
  bool serve_alternatives(Router r);
  // Sends a head of the list that prefers this output, if any of them may go.
  bool serve_list(Router r, Output preferred);
  // Sends heads of the list by other outputs whose fill is low enough; `lowest` is the least there is, by PortClass.
  bool divert_list(Router r, Output preferred, std::array<float, 3>& lowest);
  [[nodiscard]] std::array<float, 3> lowest_fills(Router r) const;
  [[nodiscard]] bool find_alternative(Router r, Output preferred, const Request& request, Output& chosen);
  [[nodiscard]] std::uint32_t first_turn(std::size_t count);
  void remove(Router r, Output preferred, std::size_t at);
  void send(Router r, const Waiting& head, Output output);
  void deliver(PacketId id, Cycle at);

  // ---- wait-for graph ----
  [[nodiscard]] bool may_ever_move(std::uint32_t queue, const std::vector<char>& live) const;
  [[nodiscard]] bool may_open(std::uint32_t queue, Port out, std::uint32_t vc, const std::vector<char>& live) const;
  [[nodiscard]] bool may_clear(std::uint32_t queue, Port out, std::uint32_t vc, const std::vector<char>& live) const;

  [[nodiscard]] PacketId head_of(const Queue& q) const { return slots_[q.first_slot + q.head]; }
  [[nodiscard]] Port port_of(std::uint32_t queue) const { return queue / state_.vcs; }
  PacketId make_packet(Node node, Cycle birth);

  const Network& network_;
  const Parameters& parameters_;
  Policy& policy_;
  Traffic& traffic_;
  Random random_;
  State state_;
  std::uint32_t units_of_packet_;
  std::uint32_t horizon_;
  bool wormhole_;
  bool one_input_;  // CrossbarInputs::kOneForPort

  // By port.
  std::vector<std::uint16_t> serial_;    // cycles of a unit on the cable
  std::vector<std::uint16_t> crossing_;  // cycles of a unit through the crossbar
  std::vector<std::uint8_t> busy_in_;    // one_input_: the input is sending
  std::vector<Cycle> link_free_;
  // By queue, which is port * vcs + vc: of what comes in by the port.
  std::vector<Queue> queues_;
  std::vector<Request> requests_;  // of the head, while it waits
  std::vector<PacketId> slots_;
  // By port * vcs + vc, as an output: the queue whose packet holds it (wormhole); kIdle: nobody.
  std::vector<std::uint32_t> holder_;
  std::vector<std::vector<Waiting>> waiting_;
  // Sets of a router's ports, words_ words each.
  std::uint32_t words_ = 1;
  std::vector<std::uint64_t> free_bits_;      // by router: the output can begin a unit
  std::vector<std::uint64_t> room_bits_;      // by router * vcs + vc: credits > 0
  std::vector<std::uint64_t> wanted_bits_;    // by router * vcs + vc: somebody waits
  std::vector<std::uint64_t> adaptive_bits_;  // of these: somebody may have an alternative; among the first 64 ports
  // By router.
  std::vector<std::uint8_t> awake_;
  std::vector<Router> awake_list_;
  std::vector<Router> served_list_;

  std::vector<Packet> packets_;
  std::vector<PacketId> unused_;
  std::vector<Sender> senders_;

  EventWheel<Arrival> arrivals_;
  EventWheel<std::uint32_t> credits_;  // port * vcs + vc of the output that gets one
  EventWheel<Departure> departures_;
  EventWheel<Node> births_;

  Counters counters_;
  LatencyHistogram latencies_;
  std::uint64_t packet_hops_ = 0;
  std::uint64_t delivered_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t undelivered_ = 0;
  Cycle last_progress_ = 0;
  Cycle last_delivery_ = 0;
};

}  // namespace espalier::packets
