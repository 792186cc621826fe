// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/packets/presets.h"

namespace espalier::packets {
namespace {

// Garcia et al. 2013, IV: links of 10 and 100 cycles, buffers of 32 and 256 phits for each virtual channel, three of
// them at injection; packets of 8 phits, under wormhole of 8 flits of 10. What the paper leaves unsaid is as comes
// nearest to its figures, see docs/measured/packets_dragonflies.md. These are the defaults of Parameters.
Preset garcia() { return {"garcia", "dragonflies of ICPP 2013", {}, 5000, 10000}; }

// Faizian 2018, 3.6 and 4.3: packets of one flit, links of 10 cycles, buffers of 32 flits, four virtual channels, and
// crossbars of twice the links' speed. A flit is two phits here, so that the crossbar takes it in one cycle: a cycle of
// the paper is two.
Preset faizian() {
  Parameters p;
  p.packet_phits = 2;
  p.local_latency = p.global_latency = 20;
  p.local_buffer = p.global_buffer = p.injection_buffer = 64;
  p.injection_vcs = 4;
  p.speedup = 2;
  p.output_buffer = 16;
  p.valiant = ValiantLevel::kRouter;
  p.measure = QueueMeasure::kPhits;
  p.weight = PathWeight::kHops;
  p.occupancy = Occupancy::kPort;
  p.piggyback_offset = 24;
  return {"faizian", "Cascade and random graphs of the dissertation of 2018", p, 6000, 20000};
}

// Bogdanski et al. 2012, 6.2: messages of 2 kB over links of 20 Gb/s (4x DDR). A phit is 64 bytes. The paper says
// nothing of buffers and latencies: eight packets for each virtual lane, and a switch of 100 ns and a link of 10 m.
Preset bogdanski() {
  Parameters p;
  p.packet_phits = 32;
  p.local_latency = 2;
  p.global_latency = 2;
  p.pipeline = 3;
  p.local_buffer = p.global_buffer = p.injection_buffer = 256;
  p.injection_vcs = 1;
  p.crossbar = CrossbarInputs::kOneForPort;
  p.allocator = Allocator::kRoundRobin;
  return {"bogdanski", "InfiniBand fat-trees of TACO 2012", p, 20000, 20000};
}

// Gliksberg 2022, 3.5 (Sauron, BXI): packets of 2 kB, as above; the thesis gives no buffers.
Preset gliksberg() {
  Preset preset = bogdanski();
  preset.name = "gliksberg";
  preset.what = "pruned fat-trees of the thesis of 2022";
  return preset;
}

// BookSim2's `dragonflynew` under its UGAL, for comparison: phits of all virtual channels of a port, one global hop
// against two, 30 in favor of minimal paths, by way of a random router; three virtual channels of 256 flits and routers
// whose stages take two cycles more than ours. Its hops count routers, ours links. It has a crossbar of twice the links'
// speed, and packets by way of the group of the destination; within a group they are never misrouted there.
Preset booksim2() {
  Parameters p;
  p.packet_phits = 1;
  p.pipeline = 2;
  p.local_buffer = p.global_buffer = p.injection_buffer = 256;
  p.valiant = ValiantLevel::kRouter;
  p.measure = QueueMeasure::kPhits;
  p.occupancy = Occupancy::kPort;
  p.ugal_offset = 30;
  return {"booksim2", "UGAL on dragonflies as BookSim2 has it", p, 1800, 1800};
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = {garcia(), faizian(), bogdanski(), gliksberg(), booksim2()};
  return all;
}

}  // namespace espalier::packets
