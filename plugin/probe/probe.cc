// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Looks at all engines alike, stock ones and ours, inside the unmodified OpenSM: `event_plugin_name espalier
// espalier_probe`. A clock, and a way to get at the tables of a big fabric.
//
// The clock: at the first HEAVY_SWEEP_START all engines are set up. This plugin then puts itself in front of
// build_lid_matrices and ucast_build_fwd_tables of each, and appends to the file named by ESPALIER_PROBE_TIMES one line
// per engine that ran:
//
//   ENGINE matrices_ms tables_ms RETURNED cpu_ms
//
// RETURNED is the engine's last verdict, 0 done, < 0 declined. cpu_ms is the processor time of OpenSM in both steps,
// all threads together: what remains of the time when the machine has other work.
//
// Where an engine has no callback or returns > 0, OpenSM does the step itself. The time of that step is part of the
// engine's as well, so that the wrapper calls the default engine (minhop) for it and reports "done" to OpenSM.
//
// The tables: each time the subnet is up, what the switches have acknowledged goes to the file named by
// ESPALIER_PROBE_LFTS, in the dialect of opensm-lfts.dump, but with the owner of a LID in only one of its lines.
// OpenSM's own dumps of 8 640 hosts are three files of a gigabyte each, need the hop tables of all engines, and take
// longer than the routing.
//
// The upload: each time the subnet is up, one line to the file named by ESPALIER_PROBE_UPLOADS: how many blocks of tables
// have been acknowledged since the last time, and when the last of them was (seconds since 1970). OpenSM does not tell of
// those of its first sweep.
//
// The lanes, with qos TRUE: to the file named by ESPALIER_PROBE_LANES, see probe_lanes.h.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plugin/opensm.h"
#include "plugin/probe/probe_lanes.h"

namespace {

using Step = int (*)(void*);

struct Engine {
  osm_routing_engine_t original;  // a copy, from before the wrapping
  double matrices_ms;
  double cpu_ms;  // in both steps
};

// An engine keeps its context, which its other callbacks share, so that the wrapper's own data comes in through the
// function: slot I has functions of its own.
constexpr std::size_t kSlots = 16;
std::array<Engine, kSlots> slots;
std::size_t used_slots = 0;
Engine* minhop = nullptr;  // OpenSM's default engine

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// What OpenSM would do for this step of this engine.
int run_step(const Engine& engine, Step osm_routing_engine_t::*step) {
  const osm_routing_engine_t& mine = engine.original;
  const int verdict = mine.*step == nullptr ? 1 : (mine.*step)(mine.context);
  if (verdict <= 0 || minhop == nullptr) return verdict;
  return (minhop->original.*step)(minhop->original.context);
}

// run_step(), which adds to the engine's cpu_ms. Returns its verdict and milliseconds.
std::pair<int, double> timed_step(Engine& engine, Step osm_routing_engine_t::*step) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const int verdict = run_step(engine, step);
  engine.cpu_ms += static_cast<double>(std::clock() - cpu_start) * 1000 / CLOCKS_PER_SEC;
  return {verdict, milliseconds_since(start)};
}

void report(const Engine& engine, double tables_ms, int verdict) {
  const char* path = std::getenv("ESPALIER_PROBE_TIMES");
  std::FILE* out = path == nullptr ? nullptr : std::fopen(path, "a");
  if (out == nullptr) return;
  std::fprintf(out, "%s %.3f %.3f %d %.3f\n", engine.original.name, engine.matrices_ms, tables_ms, verdict,
               engine.cpu_ms);
  std::fclose(out);
}

template <std::size_t I>
int timed_matrices(void*) {
  slots[I].cpu_ms = 0;
  const auto [verdict, ms] = timed_step(slots[I], &osm_routing_engine_t::build_lid_matrices);
  slots[I].matrices_ms = ms;
  if (verdict < 0) report(slots[I], 0, verdict);
  return verdict;
}

template <std::size_t I>
int timed_tables(void*) {
  const auto [verdict, ms] = timed_step(slots[I], &osm_routing_engine_t::ucast_build_fwd_tables);
  report(slots[I], ms, verdict);
  return verdict;
}

template <std::size_t... I>
constexpr std::array<std::pair<Step, Step>, kSlots> make_timed_steps(std::index_sequence<I...>) {
  return {std::pair<Step, Step>(timed_matrices<I>, timed_tables<I>)...};
}
constexpr auto kTimedSteps = make_timed_steps(std::make_index_sequence<kSlots>());

Engine* wrap(osm_routing_engine_t& engine) {
  if (used_slots == kSlots) return nullptr;
  Engine& slot = slots[used_slots];
  slot = {engine, 0, 0};
  std::tie(engine.build_lid_matrices, engine.ucast_build_fwd_tables) = kTimedSteps[used_slots++];
  return &slot;
}

void wrap_all(osm_opensm_t& osm) {
  if (used_slots != 0) return;
  if (osm.default_routing_engine != nullptr) minhop = wrap(*osm.default_routing_engine);
  for (osm_routing_engine_t* r = osm.routing_engine_list; r != nullptr; r = r->next)
    if (r != osm.default_routing_engine) wrap(*r);
}

// ---- the tables ----

template <class Visit>
void for_each_switch(osm_opensm_t& osm, Visit visit) {
  cl_qmap_t* switches = &osm.subn.sw_guid_tbl;
  for (cl_map_item_t* item = cl_qmap_head(switches); item != cl_qmap_end(switches); item = cl_qmap_next(item))
    visit(*reinterpret_cast<osm_switch_t*>(item));
}

// `is_told`, per LID: its owner has been written.
void write_entry(std::FILE* out, osm_opensm_t& osm, std::uint16_t lid, unsigned port, std::vector<bool>& is_told) {
  const osm_port_t* owner = is_told[lid] ? nullptr : osm_get_port_by_lid_ho(&osm.subn, lid);
  if (owner == nullptr) {
    std::fprintf(out, "0x%04x %03u\n", lid, port);
    return;
  }
  is_told[lid] = true;
  std::fprintf(out, "0x%04x %03u # portguid 0x%016" PRIx64 "\n", lid, port, cl_ntoh64(owner->guid));
}

void write_tables(osm_opensm_t& osm) {
  const char* path = std::getenv("ESPALIER_PROBE_LFTS");
  const std::string unfinished = path == nullptr ? "" : std::string(path) + ".part";
  std::FILE* out = path == nullptr ? nullptr : std::fopen(unfinished.c_str(), "w");
  if (out == nullptr) return;
  const std::uint16_t top = osm.subn.max_ucast_lid_ho;
  std::vector<bool> is_told(top + 1U);
  for_each_switch(osm, [&](osm_switch_t& s) {
    std::fprintf(out, "Unicast lids [0-%u] of switch Lid %u guid 0x%016" PRIx64 " (''):\n", top,
                 cl_ntoh16(osm_node_get_base_lid(s.p_node, 0)), cl_ntoh64(osm_node_get_node_guid(s.p_node)));
    for (std::uint16_t lid = 1; lid <= top && lid < s.lft_size; ++lid)
      if (s.lft[lid] < s.num_ports) write_entry(out, osm, lid, s.lft[lid], is_told);
    std::fprintf(out, "%u lids dumped\n", top);
  });
  if (std::fclose(out) == 0) std::rename(unfinished.c_str(), path);
}

// Before the tables, which tell that all is there.
void write_lanes(osm_opensm_t& osm) {
  const char* path = std::getenv("ESPALIER_PROBE_LANES");
  const std::string text = path == nullptr ? "" : espalier::lanes_text(osm);
  std::FILE* out = text.empty() ? nullptr : std::fopen(path, "w");
  if (out == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), out);
  std::fclose(out);
}

// ---- the upload ----

std::atomic<std::uint64_t> acknowledged_blocks = 0;  // counted in the threads that take OpenSM's answers
std::atomic<std::int64_t> last_block_us = 0;

void count_block(const osm_epi_lft_change_event_t& change) {
  if ((change.flags & LFT_CHANGED_BLOCK) == 0) return;
  ++acknowledged_blocks;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  last_block_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

void write_upload() {
  const char* path = std::getenv("ESPALIER_PROBE_UPLOADS");
  std::FILE* out = path == nullptr ? nullptr : std::fopen(path, "a");
  if (out == nullptr) return;
  std::fprintf(out, "%" PRIu64 " %.6f\n", acknowledged_blocks.exchange(0), static_cast<double>(last_block_us) / 1e6);
  std::fclose(out);
}

void* create(osm_opensm_t* osm) { return espalier::layout_matches(*osm) ? osm : nullptr; }
void destroy(void*) {}
void on_event(void* osm, osm_epi_event_id_t event, void* data) {
  if (event == OSM_EVENT_ID_LFT_CHANGE) count_block(*static_cast<const osm_epi_lft_change_event_t*>(data));
  if (event == OSM_EVENT_ID_HEAVY_SWEEP_START) wrap_all(*static_cast<osm_opensm_t*>(osm));
  if (event != OSM_EVENT_ID_SUBNET_UP) return;
  write_upload();
  write_lanes(*static_cast<osm_opensm_t*>(osm));
  write_tables(*static_cast<osm_opensm_t*>(osm));
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, on_event};
}
