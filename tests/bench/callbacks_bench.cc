// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// How long the plugin holds OpenSM: its callbacks on a subnet of OpenSM's objects that is built by hand, without ibsim
// and bring-up. The plugin is loaded as OpenSM loads it; the few functions of the opensm program that it calls stand here
// and in tests/opensm/hand_built_subnet.cc.
//
//   callbacks_bench build/libespalier.so balanced "3;18,18,36;1,18,18;1,1,1" [ROUNDS [espalier.conf [GONE [ANSWERS_MS]]]]
//   callbacks_bench build/libespalier.so layers jellyfish:125,12,8:1001 [ROUNDS [espalier.conf [GONE [ANSWERS_MS]]]]
//
// The fabric: a PGFT, or a generator with its specification and maybe a seed. QoS is enabled, links have 8 virtual lanes.
// espalier.conf is the file of our options, as event_plugin_options names it; "": none.
// ANSWERS_MS, 200 by default: how long OpenSM waits for the ports' answers to their LIDs; 0: there is no head start.
// The first computation; with GONE as many switches with hosts go for good, one after another, with a sweep after each;
// then in each round a sweep in which nothing changed, one in which a link between switches is lost, one in which it has
// come back: milliseconds on the wall and of all processors, page faults, resident memory and its peak, both beside that of
// OpenSM's objects, and the plugin's own line.
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/resource.h>

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

#include "tests/opensm/hand_built_subnet.h"
#include "tests/support/fabrics.h"

namespace {

struct Registered {
  external_routing_engine_module_t module;
  void* context;
};
std::map<std::string, Registered> engines;
std::atomic<bool> told = false;      // what the plugin logs
std::atomic<bool> is_ready = false;  // the background thread has ended its search

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

using test::HandBuiltSubnet;

// OpenSM's objects for a fabric.
class Subnet : public HandBuiltSubnet {
 public:
  explicit Subnet(const Fabric& fabric)
      : HandBuiltSubnet(static_cast<unsigned>(index(fabric.top_lid()))), fabric_(fabric) {
    osm_opensm_t& o = osm();
    o.subn.p_osm = &o;
    o.sm.p_subn = &o.subn;
    o.sm.p_log = &o.log;
    o.sm.p_lock = &o.lock;
    o.sa.p_subn = &o.subn;
    o.sa.p_log = &o.log;
    o.sa.sm = &o.sm;
    o.sm.ucast_mgr.p_subn = &o.subn;
    o.sm.ucast_mgr.sm = &o.sm;
    o.subn.max_ucast_lid_ho = static_cast<std::uint16_t>(index(fabric.top_lid()));
    o.subn.opt.qos = TRUE;
    o.log.level = OSM_LOG_ERROR | OSM_LOG_INFO;
    const auto room = static_cast<std::uint16_t>((index(fabric.top_lid()) / 64 + 1) * 64);
    for (const SwitchId s : fabric.switches()) {
      const Switch& sw = fabric.at(s);
      switches_.push_back(&add_switch(index(sw.guid), sw.description.c_str(), sw.num_ports,
                                      static_cast<std::uint16_t>(index(sw.lid)), room));
    }
    for (const EndportId e : fabric.endports()) {
      const Endport& port = fabric.at(e);
      osm_node_t& node =
          add_adapter(index(port.node_guid), port.description.c_str(), static_cast<std::uint16_t>(index(port.lid)));
      connect(*switches_[index(port.leaf)]->p_node, static_cast<unsigned>(index(port.leaf_port)), node, 1);
    }
    for (const SwitchId s : fabric.switches())
      for (std::size_t p = 1; p <= fabric.at(s).num_ports; ++p) link(s, id_at<PortNum>(p));
    o.subn.sm_port_guid = cl_hton64(index(fabric.at(EndportId{0}).port_guid));
  }

  void link(SwitchId s, PortNum port) {
    const Peer& peer = fabric_.peer(s, port);
    if (!peer.is_switch()) return;
    this->port(*switches_[index(s)]->p_node, static_cast<unsigned>(index(port))).port_info.vl_cap = kEightLanes << 4;
    connect(*switches_[index(s)]->p_node, static_cast<unsigned>(index(port)), *switches_[peer.id]->p_node,
            static_cast<unsigned>(index(peer.port)));
  }
  void unlink(SwitchId s, PortNum port) {
    osm_physp_t& here = this->port(*switches_[index(s)]->p_node, static_cast<unsigned>(index(port)));
    here.p_remote_physp->p_remote_physp = nullptr;
    here.p_remote_physp = nullptr;
  }

  // What OpenSM does when a switch is switched off: nobody discovers it, nor its hosts.
  void take_away(SwitchId s) {
    cl_qmap_t& ports = osm().subn.port_guid_tbl;
    const auto forget = [&](Guid guid) { cl_qmap_remove(&ports, cl_hton64(index(guid))); };
    for (const PortNum p : fabric_.ports(s)) {
      const Peer& peer = fabric_.peer(s, p);
      if (peer.is_switch()) unlink(s, p);
      if (peer.is_endport()) forget(fabric_.at(peer.as_endport()).port_guid);
    }
    forget(fabric_.at(s).guid);
    cl_qmap_remove(&osm().subn.sw_guid_tbl, cl_hton64(index(fabric_.at(s).guid)));
  }

  // What OpenSM does before an engine runs, and when all blocks have been acknowledged.
  void clear_new_tables() {
    for (osm_switch_t* sw : switches_) std::memset(sw->new_lft, OSM_NO_PATH, sw->lft_size);
  }
  void acknowledge() {
    for (osm_switch_t* sw : switches_) {
      std::memcpy(sw->lft, sw->new_lft, sw->lft_size);
      sw->need_update = 0;
    }
  }

 private:
  static constexpr std::uint8_t kEightLanes = 4;  // VLCap

  const Fabric& fabric_;
  std::vector<osm_switch_t*> switches_;
};

// "SPEC" of a PGFT, or "GENERATOR:SPEC" or "GENERATOR:SPEC:SEED".
Fabric made(std::string_view what) {
  const std::size_t kind_end = what.find(':');
  const std::string_view kind = kind_end == std::string_view::npos ? "pgft" : what.substr(0, kind_end);
  std::string_view spec = kind_end == std::string_view::npos ? what : what.substr(kind_end + 1);
  const std::size_t spec_end = std::min(spec.find(':'), spec.size());
  const std::uint64_t seed =
      spec_end < spec.size() ? std::strtoull(std::string(spec.substr(spec_end + 1)).c_str(), nullptr, 10) : 0;
  return test::generated(kind, spec.substr(0, spec_end), 0, seed);
}

// What /proc says of this process, in MiB.
double memory(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (double kib = 0; word == what && status >> kib) return kib / 1024;
  return 0;
}

// Of this process until now, served without reading a disk.
long page_faults() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

int run(const char* plugin, const char* engine, const char* spec, int rounds, char* options, std::size_t num_gone,
        int answers_ms) {
  void* const library = ::dlopen(plugin, RTLD_LAZY);
  if (library == nullptr) return std::fprintf(stderr, "%s\n", ::dlerror()), 2;
  auto* const entry = static_cast<osm_event_plugin_t*>(::dlsym(library, "osm_event_plugin"));
  const Fabric fabric = made(spec);
  Subnet subnet(fabric);
  subnet.osm().subn.opt.event_plugin_options = options;
  std::string listed = engine;
  subnet.osm().subn.opt.routing_engine_names = listed.data();
  void* const context = entry->create(&subnet.osm());
  if (context == nullptr) return 2;
  osm_routing_engine_t routing{};
  const Registered& registered = engines.at(engine);
  routing.context = registered.module.context;
  registered.module.setup(&routing, &subnet.osm());

  const double objects = memory("VmRSS:");
  std::this_thread::sleep_for(std::chrono::seconds(1));  // OpenSM discovers for longer than the plugin gets ready
  if (answers_ms > 0) entry->report(context, OSM_EVENT_ID_HEAVY_SWEEP_DONE, nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(answers_ms));  // it waits for ports, which take their LIDs

  const auto sweep = [&](const char* what) {
    subnet.clear_new_tables();
    told = true;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    const long faults = page_faults();
    CL_PLOCK_EXCL_ACQUIRE(&subnet.osm().lock);
    int verdict = routing.build_lid_matrices(routing.context);
    if (verdict == 0) verdict = routing.ucast_build_fwd_tables(routing.context);
    CL_PLOCK_RELEASE(&subnet.osm().lock);
    const double cpu_ms = static_cast<double>(std::clock() - cpu) * 1000 / CLOCKS_PER_SEC;
    const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
    told = false;
    fmt::print("{:<10} {:8.2f} ms {:8.2f} ms of processors, {} page faults, {:.0f} MiB, peak {:.0f}, verdict {}\n",
               what, ms.count(), cpu_ms, page_faults() - faults, memory("VmRSS:") - objects, memory("VmHWM:") - objects,
               verdict);
    std::fflush(stdout);
    subnet.acknowledge();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a reference is extended, metrics are written
  };
  sweep("first");
  // Only `balanced` searches on.
  for (int i = 0; std::string_view(engine) == "balanced" && i < 600 && !is_ready; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  sweep("settled");
  std::mt19937 random(1001);
  std::set<SwitchId> gone;
  while (gone.size() < num_gone) {
    // Not that of the first host, on which the subnet manager is.
    const SwitchId leaf = fabric.at(id_at<EndportId>(random() % fabric.num_endports())).leaf;
    if (leaf == fabric.at(EndportId{0}).leaf || !gone.insert(leaf).second) continue;
    subnet.take_away(leaf);
    sweep("gone");
  }
  for (int round = 0; round < rounds; ++round) {
    SwitchId s{};
    PortNum port{};
    do {
      s = SwitchId{static_cast<std::uint32_t>(random() % fabric.num_switches())};
      port = PortNum{static_cast<std::uint8_t>(1 + random() % fabric.at(s).num_ports)};
    } while (!fabric.peer(s, port).is_switch() || gone.contains(s) || gone.contains(fabric.peer(s, port).as_switch()));
    sweep("same");
    subnet.unlink(s, port);
    sweep("lost");
    subnet.link(s, port);
    sweep("back");
  }
  return 0;
}

}  // namespace
}  // namespace espalier

int main(int argc, char** argv) {
  if (argc < 4)
    return std::fprintf(stderr,
                        "usage: callbacks_bench PLUGIN ENGINE FABRIC [ROUNDS [espalier.conf [GONE [ANSWERS_MS]]]]\n"),
           2;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 3;
  char* const options = argc > 5 && *argv[5] != '\0' ? argv[5] : nullptr;
  return espalier::run(argv[1], argv[2], argv[3], rounds, options, argc > 6 ? std::strtoul(argv[6], nullptr, 10) : 0,
                       argc > 7 ? std::atoi(argv[7]) : 200);
}
