// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How long the plugin holds OpenSM: its callbacks on a subnet of OpenSM's objects that is built by hand, without ibsim
// and bring-up. The plugin is loaded as OpenSM loads it; the few functions of the opensm program that it calls stand here
// and in tests/opensm/hand_built_subnet.cc.
//
//   callbacks_bench build/libespalier.so balanced "3;18,18,36;1,18,18;1,1,1" [ROUNDS [espalier.conf [GONE [ANSWERS_MS]]]]
//   callbacks_bench build/libespalier.so layers jellyfish:125,12,8:1001 [ROUNDS [espalier.conf [GONE [ANSWERS_MS [LMC [FAULTS
//   [AHEAD_MS]]]]]]]
//
// The fabric: a PGFT, or a generator with its specification and maybe a seed. QoS is enabled, links have 8 virtual lanes.
// espalier.conf is the file of our options, as event_plugin_options names it; "": none.
// ANSWERS_MS, 200 by default: how long OpenSM waits for the ports' answers to their LIDs; 0: there is no head start.
// The first computation; with GONE as many switches with hosts go for good, one after another, with a sweep after each;
// then in each round a sweep in which nothing changed, one in which a link between switches is lost, one in which it has
// come back: milliseconds on the wall and of all processors, page faults, resident memory and its peak, both beside that of
// OpenSM's objects, and the plugin's own line. FAULTS, "l1" by default: what is lost at once in a round, and then comes back,
// one after another: "l1,l50,s4" are a link, 50 links, and 4 switches with hosts. AHEAD_MS, 0 by default: how long OpenSM looks
// after partitions and LIDs in later sweeps, in which there is a head start as well; 0: none. Its thread is at work all the
// time: beside busy processes it has used up its share of the processor when it asks for routes.
#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/bench/subnet_of_fabric.h"
#include "tests/support/fabrics.h"
#include "tests/support/page_faults.h"

namespace {

struct Registered {
  external_routing_engine_module_t module;
  void* context;
};
std::map<std::string, Registered> engines;
std::atomic<bool> told = false;          // what the plugin logs
std::atomic<bool> is_searching = false;  // or will: the first tables are not those of the engine
std::atomic<bool> is_ready = false;      // the background thread has ended its search

}  // namespace

extern "C" {

// As declared in OpenSM's headers.
cl_status_t osm_register_external_routing_engine(osm_opensm_t*, const external_routing_engine_module_t* module,
                                                 void* context) {
  engines[module->name] = {*module, context};
  return CL_SUCCESS;
}

osm_routing_engine_type_t osm_routing_engine_type(const char*) { return OSM_ROUTING_ENGINE_TYPE_UNKNOWN; }

void osm_log(osm_log_t*, osm_log_level_t, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (std::strstr(text, "search in the background") != nullptr) is_searching = true;
  if (std::strstr(text, "rebalance:") != nullptr) is_ready = true;
  if (told) std::fprintf(stderr, "  %s", text);
}

void osm_sm_sweep(osm_sm_t*) {}
void osm_ucast_cache_invalidate(osm_ucast_mgr_t*) {}
cl_status_t osm_switch_set_hops(osm_switch_t*, uint16_t, uint8_t, uint8_t) { return CL_SUCCESS; }
int osm_switch_prepare_path_rebuild(osm_switch_t*, uint16_t) { return 0; }

}  // extern "C"

namespace espalier {
namespace {

using test::SubnetOfFabric;

// "SPEC" of a PGFT, or "GENERATOR:SPEC" or "GENERATOR:SPEC:SEED".
Fabric made(std::string_view what, std::uint8_t lmc) {
  const std::size_t kind_end = what.find(':');
  const std::string_view kind = kind_end == std::string_view::npos ? "pgft" : what.substr(0, kind_end);
  std::string_view spec = kind_end == std::string_view::npos ? what : what.substr(kind_end + 1);
  const std::size_t spec_end = std::min(spec.find(':'), spec.size());
  const std::uint64_t seed =
      spec_end < spec.size() ? std::strtoull(std::string(spec.substr(spec_end + 1)).c_str(), nullptr, 10) : 0;
  return test::generated(kind, spec.substr(0, spec_end), lmc, seed);
}

// What /proc says of this process, in MiB.
double memory(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kib = 0; word == what && status >> kib) return kib / 1024;
  return 0;
}

// What is lost at once.
struct Fault {
  std::string name;
  std::size_t links = 0, switches = 0;
};
std::vector<Fault> faults_of(std::string_view list) {
  std::vector<Fault> faults;
  for (std::string_view left = list; !left.empty();) {
    const std::string name(left.substr(0, left.find(',')));
    left.remove_prefix(std::min(left.size(), name.size() + 1));
    const std::size_t count = std::strtoul(name.c_str() + 1, nullptr, 10);
    faults.push_back(name.front() == 's' ? Fault{name, 0, count} : Fault{name, count, 0});
  }
  return faults;
}

struct Arguments {
  const char *plugin, *engine, *spec;
  int rounds;
  char* options;
  std::size_t num_gone;
  int answers_ms;
  std::uint8_t lmc;
  std::vector<Fault> faults;
  int ahead_ms;
};

// The plugin in OpenSM, which sweeps when it is told to.
class Callbacks {
 public:
  Callbacks(SubnetOfFabric& subnet, int ahead_ms) : subnet_(subnet), ahead_ms_(ahead_ms) {}

  // False: it cannot be loaded.
  bool load(const Arguments& arguments) {
    void* const library = ::dlopen(arguments.plugin, RTLD_LAZY);
    if (library == nullptr) return std::fprintf(stderr, "%s\n", ::dlerror()), false;
    entry_ = static_cast<osm_event_plugin_t*>(::dlsym(library, "osm_event_plugin"));
    subnet_.osm().subn.sm_state = IB_SMINFO_STATE_MASTER;
    subnet_.osm().subn.opt.event_plugin_options = arguments.options;
    listed_ = arguments.engine;
    subnet_.osm().subn.opt.routing_engine_names = listed_.data();
    plugin_ = entry_->create(&subnet_.osm());
    if (plugin_ == nullptr) return false;
    const Registered& registered = engines.at(arguments.engine);
    routing_.context = registered.module.context;
    registered.module.setup(&routing_, &subnet_.osm());
    objects_ = memory("VmRSS:");
    std::this_thread::sleep_for(std::chrono::seconds(1));  // OpenSM discovers for longer than the plugin gets ready
    if (arguments.answers_ms > 0) discovery_ends();
    // It waits for ports, which take their LIDs.
    std::this_thread::sleep_for(std::chrono::milliseconds(arguments.answers_ms));
    return true;
  }

  void sweep(const std::string& what) {
    if (what != "first" && ahead_ms_ > 0) {
      discovery_ends();
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ahead_ms_);
      while (std::chrono::steady_clock::now() < end) continue;  // partitions and LIDs are looked after
    }
    subnet_.clear_new_tables();
    told = true;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    const long faults = test::page_faults(RUSAGE_SELF);
    CL_PLOCK_EXCL_ACQUIRE(&subnet_.osm().lock);
    int verdict = routing_.build_lid_matrices(routing_.context);
    if (verdict == 0) verdict = routing_.ucast_build_fwd_tables(routing_.context);
    CL_PLOCK_RELEASE(&subnet_.osm().lock);
    const double cpu_ms = static_cast<double>(std::clock() - cpu) * 1000 / CLOCKS_PER_SEC;
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    entry_->report(plugin_, OSM_EVENT_ID_UCAST_ROUTING_DONE, nullptr);
    told = false;
    fmt::print("{:<10} {:8.2f} ms {:8.2f} ms of processors, {} page faults, {:.0f} MiB, peak {:.0f}, verdict {}\n",
               what, ms.count(), cpu_ms, test::page_faults(RUSAGE_SELF) - faults, memory("VmRSS:") - objects_,
               memory("VmHWM:") - objects_, verdict);
    std::fflush(stdout);
    subnet_.acknowledge();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a reference is extended, metrics are written
  }

  // Until a search has ended, if there is one; a minute at most.
  static void await_search() {
    for (int i = 0; is_searching && i < 600 && !is_ready; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

 private:
  void discovery_ends() { entry_->report(plugin_, OSM_EVENT_ID_HEAVY_SWEEP_DONE, nullptr); }

  SubnetOfFabric& subnet_;
  int ahead_ms_;
  osm_event_plugin_t* entry_ = nullptr;
  void* plugin_ = nullptr;
  std::string listed_;
  osm_routing_engine_t routing_{};
  double objects_ = 0;
};

// Draws what is lost; never the switch of the first host, on which the subnet manager is.
class Draws {
 public:
  explicit Draws(const Fabric& fabric) : fabric_(fabric) {}

  SwitchId leaf() {
    while (true) {
      const SwitchId leaf = fabric_.at(id_at<EndportId>(random_() % fabric_.num_endports())).leaf;
      if (leaf != fabric_.at(EndportId{0}).leaf && gone_.insert(leaf).second) return leaf;
    }
  }
  void is_back(SwitchId leaf) { gone_.erase(leaf); }
  // Of switches that are there.
  std::pair<SwitchId, PortNum> link() {
    SwitchId s{};
    PortNum port{};
    do {
      s = SwitchId{static_cast<std::uint32_t>(random_() % fabric_.num_switches())};
      port = PortNum{static_cast<std::uint8_t>(1 + random_() % fabric_.at(s).num_ports)};
    } while (!fabric_.peer(s, port).is_switch() || gone_.contains(s) ||
             gone_.contains(fabric_.peer(s, port).as_switch()));
    return {s, port};
  }

 private:
  const Fabric& fabric_;
  std::mt19937 random_{1001};
  std::set<SwitchId> gone_;
};

void lose_and_return(const Fault& fault, SubnetOfFabric& subnet, Draws& draws, Callbacks& callbacks) {
  const std::string name = fault.name == "l1" ? "" : " " + fault.name;
  std::vector<std::pair<SwitchId, PortNum>> links;
  std::set<ChannelId> lost;
  while (links.size() < fault.links) {
    const auto [s, port] = draws.link();
    if (!lost.insert(subnet.fabric().channel(s, port)).second) continue;
    const Peer& peer = subnet.fabric().peer(s, port);
    if (lost.insert(subnet.fabric().channel(peer.as_switch(), peer.port)).second) links.emplace_back(s, port);
  }
  std::vector<SwitchId> switches;
  while (switches.size() < fault.switches) switches.push_back(draws.leaf());
  for (const auto& [s, port] : links) subnet.unlink(s, port);
  for (const SwitchId s : switches) subnet.take_away(s);
  callbacks.sweep("lost" + name);
  for (const SwitchId s : switches) {
    subnet.bring_back(s);
    draws.is_back(s);
  }
  for (const auto& [s, port] : links) subnet.link(s, port);
  callbacks.sweep("back" + name);
}

int run(const Arguments& arguments) {
  const Fabric fabric = made(arguments.spec, arguments.lmc);
  SubnetOfFabric subnet(fabric, arguments.lmc);
  Callbacks callbacks(subnet, arguments.ahead_ms);
  if (!callbacks.load(arguments)) return 2;
  callbacks.sweep("first");
  // Others than `balanced` search where the first tables are of another engine.
  is_searching = is_searching || std::string_view(arguments.engine) == "balanced";
  callbacks.await_search();
  callbacks.sweep("settled");
  Draws draws(fabric);
  for (std::size_t i = 0; i < arguments.num_gone; ++i) {
    subnet.take_away(draws.leaf());
    callbacks.sweep("gone");
  }
  for (int round = 0; round < arguments.rounds; ++round) {
    callbacks.sweep("same");
    for (const Fault& fault : arguments.faults) lose_and_return(fault, subnet, draws, callbacks);
  }
  return 0;
}

}  // namespace
}  // namespace espalier

int main(int argc, char** argv) {
  if (argc < 4)
    return std::fprintf(stderr,
                        "usage: callbacks_bench PLUGIN ENGINE FABRIC [ROUNDS [espalier.conf [GONE [ANSWERS_MS [LMC "
                        "[FAULTS [AHEAD_MS]]]]]]]\n"),
           2;
  const auto number = [&](int i, unsigned long other) { return argc > i ? std::strtoul(argv[i], nullptr, 10) : other; };
  return espalier::run({.plugin = argv[1],
                        .engine = argv[2],
                        .spec = argv[3],
                        .rounds = static_cast<int>(number(4, 3)),
                        .options = argc > 5 && *argv[5] != '\0' ? argv[5] : nullptr,
                        .num_gone = number(6, 0),
                        .answers_ms = static_cast<int>(number(7, 200)),
                        .lmc = static_cast<std::uint8_t>(number(8, 0)),
                        .faults = espalier::faults_of(argc > 9 ? argv[9] : "l1"),
                        .ahead_ms = static_cast<int>(number(10, 0))});
}
