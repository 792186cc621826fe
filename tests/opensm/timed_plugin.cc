// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A clock for all engines alike, stock ones and ours, inside the unmodified OpenSM: `event_plugin_name espalier timed`.
//
// At the first HEAVY_SWEEP_START all engines are set up. This plugin then puts itself in front of build_lid_matrices
// and ucast_build_fwd_tables of each, and appends to the file named by ESPALIER_TIMED_LOG one line per engine that ran:
//
//   ENGINE matrices_ms tables_ms RETURNED          RETURNED: the engine's last verdict, 0 done, < 0 declined
//
// Where an engine has no callback or returns > 0, OpenSM does the step itself. The time of that step is part of the
// engine's as well, so that the wrapper calls the default engine (minhop) for it and reports "done" to OpenSM.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "plugin/opensm.h"

namespace {

using Step = int (*)(void*);

struct Engine {
  osm_routing_engine_t original;  // a copy, from before the wrapping
  double matrices_ms;
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

void report(const Engine& engine, double tables_ms, int verdict) {
  const char* path = std::getenv("ESPALIER_TIMED_LOG");
  std::FILE* out = path == nullptr ? nullptr : std::fopen(path, "a");
  if (out == nullptr) return;
  std::fprintf(out, "%s %.3f %.3f %d\n", engine.original.name, engine.matrices_ms, tables_ms, verdict);
  std::fclose(out);
}

template <std::size_t I>
int timed_matrices(void*) {
  const auto start = std::chrono::steady_clock::now();
  const int verdict = run_step(slots[I], &osm_routing_engine_t::build_lid_matrices);
  slots[I].matrices_ms = milliseconds_since(start);
  if (verdict < 0) report(slots[I], 0, verdict);
  return verdict;
}

template <std::size_t I>
int timed_tables(void*) {
  const auto start = std::chrono::steady_clock::now();
  const int verdict = run_step(slots[I], &osm_routing_engine_t::ucast_build_fwd_tables);
  report(slots[I], milliseconds_since(start), verdict);
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
  slot = {engine, 0};
  std::tie(engine.build_lid_matrices, engine.ucast_build_fwd_tables) = kTimedSteps[used_slots++];
  return &slot;
}

void wrap_all(osm_opensm_t& osm) {
  if (used_slots != 0) return;
  if (osm.default_routing_engine != nullptr) minhop = wrap(*osm.default_routing_engine);
  for (osm_routing_engine_t* r = osm.routing_engine_list; r != nullptr; r = r->next)
    if (r != osm.default_routing_engine) wrap(*r);
}

void* create(osm_opensm_t* osm) { return espalier::layout_matches(*osm) ? osm : nullptr; }
void destroy(void*) {}
void on_event(void* osm, osm_epi_event_id_t event, void*) {
  if (event == OSM_EVENT_ID_HEAVY_SWEEP_START) wrap_all(*static_cast<osm_opensm_t*>(osm));
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) osm_event_plugin_t osm_event_plugin = {OSM_VERSION, create, destroy, on_event};
}
