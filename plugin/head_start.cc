// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/head_start.h"

#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/engines/engines.h"
#include "core/fabric/fingerprint.h"
#include "plugin/exception_guard.h"
#include "plugin/inputs/engine_inputs.h"
#include "plugin/lanes/active_lanes.h"
#include "plugin/opensm.h"
#include "plugin/readings.h"
#include "plugin/repair/policy.h"
#include "plugin/repair/repair_or_route.h"
#include "plugin/subnet/map_items.h"
#include "plugin/subnet/shared_lock.h"
#include "plugin/thread_priority.h"
#include "plugin/upload/upload_ahead.h"

namespace espalier {
namespace {

bool is_master(const osm_subn_t& subnet) { return subnet.sm_state == IB_SMINFO_STATE_MASTER; }

// Its own is assigned before all others.
bool is_assigned(const osm_subn_t& subnet, const osm_port_t& port) {
  return port.lid != 0 || port.guid == subnet.sm_port_guid;
}

// OpenSM assigns all of them in one go, under its lock.
bool has_first_lids(const osm_subn_t& subnet) {
  const cl_qmap_t& ports = subnet.port_guid_tbl;
  const auto is_so = [&](const cl_map_item_t* item) {
    return is_assigned(subnet, *reinterpret_cast<const osm_port_t*>(item));
  };
  return cl_qmap_count(&ports) > 1 && is_so(cl_qmap_head(&ports)) && is_so(cl_qmap_tail(&ports));
}

// Later few are new, anywhere.
bool has_all_lids(const osm_subn_t& subnet) {
  return std::ranges::all_of(items_of<const osm_port_t>(subnet.port_guid_tbl),
                             [&](const osm_port_t* port) { return is_assigned(subnet, *port); });
}

// What goes wrong here is told of by the run, where it happens again.
template <class Body>
void attempt(Body&& body) {
  with_exception_guard(body, [](const char*) {});
}

}  // namespace

HeadStart::HeadStart(osm_opensm& osm, std::string engine, bool goes_first, Prefault& memory, PluginState& state)
    : osm_(osm),
      engine_(std::move(engine)),
      begins_first_(goes_first),
      memory_(memory),
      state_(state),
      early_({[](std::string_view) {}, [](std::string_view) {}, [] {}}),
      lids_(LidsRead::kAssigned),
      upload_(std::make_shared<UploadAhead>()) {}

void HeadStart::begin() {
  OpensmOptions options = opensm_options(osm_);
  attempt([&] {
    const std::lock_guard lock(mutex_);
    if (is_working_) return;
    is_first_ = !has_run_;
    early_.opensm = std::move(options);
    has_looked_ = false;
    tables_.reset();
    std::optional<RealtimeThread> until_it_goes_first;
    if (begins_first_) until_it_goes_first.emplace();
    thread_ = std::jthread([this](const std::stop_token& stop) {
      attempt([&] { work(stop); });
      const std::lock_guard end(mutex_);
      is_working_ = false;
    });
    is_working_ = true;
    if (begins_first_) raise_thread(thread_.native_handle());  // on a busy machine it would begin after the run
  });
}

void HeadStart::stop() {
  const std::lock_guard lock(mutex_);
  has_run_ = true;
  thread_.request_stop();
}

// A list of flows speaks to the log.
bool HeadStart::is_possible() const {
  const EngineTraits traits = traits_of(engine_);
  if (traits.known_flows && !early_.config.flows_file.empty()) return false;
  return !traits.lanes || check_lanes_possible(early_.opensm, engine_, early_.config.switch_sl);
}

bool HeadStart::wait_until(bool (*is_so)(const osm_subn&), const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr Clock::duration kShortest = std::chrono::milliseconds{1};
  constexpr int kShare = 16;
  const Clock::time_point began = Clock::now();
  for (std::unique_lock lock(mutex_); !stop.stop_requested();) {
    lock.unlock();
    bool is_now = false;
    {
      const SharedLock subnet(osm_, goes_first());
      is_now = is_so(osm_.subn);
    }
    if (is_now) return true;
    lock.lock();
    changed_.wait_for(lock, stop, std::max(kShortest, (Clock::now() - began) / kShare), [] { return false; });
  }
  return false;
}

// What the run before has found. REQUIRES: OpenSM's lock is held.
void HeadStart::copy_state() {
  // A port may never answer to its LID, or have another LMC than it should: then it is not foreseen again.
  if (fabric_ && fabric_ != state_.snapshots.fabric())
    lids_ = lids_ == LidsRead::kAssigned ? LidsRead::kConfirmed : LidsRead::kAssigned;
  fabric_.reset();
  early_.snapshots = state_.snapshots;
  early_.last_shape = state_.last_shape;
  early_.host_numbers = state_.host_numbers;
  early_.places = state_.places;
  early_.last_repaired = state_.last_repaired;
  early_.multicast = state_.multicast.successor();
  upload_->forget();
}

// Takes a snapshot. False: it is too late, or the subnet is the one that the thread has looked at before.
bool HeadStart::look(LidsRead lids, const std::stop_token& stop) {
  const SharedLock subnet(osm_, goes_first());
  if (stop.stop_requested()) return false;
  const std::lock_guard lock(mutex_);
  if (!is_first_) copy_state();
  const Result<std::shared_ptr<const Fabric>> fabric = early_.snapshots.take(osm_, lids);
  if (fabric && *fabric == fabric_) return false;
  is_looking_ = true;
  fabric_ = fabric ? *fabric : nullptr;
  if (fabric_ && traits_of(engine_).lanes) mcast_support_ = MulticastState::support_of(osm_, *fabric_);
  return true;
}

// Fills `early_`. Nothing: the run will have an error to tell of.
std::optional<RoutingTask> HeadStart::look_closer() {
  if (!fabric_) return std::nullopt;
  Result<RankOptions> levels_from = rank_options(early_);
  if (!levels_from) return std::nullopt;
  const std::uint64_t lists = lists_of(*levels_from);
  const Result<Shape> shape = early_.last_shape.find(engine_, fabric_, *std::move(levels_from));
  if (!shape) return std::nullopt;
  std::vector<std::string> warnings;  // the run has them as well
  auto inputs = engine_inputs(osm_, engine_, *shape, fabric_, early_, warnings);
  if (!inputs) return std::nullopt;
  return make_task(early_.config, engine_, {lists, inputs->files_version}, fabric_, shape->tree,
                   std::move(inputs->options));
}

std::optional<std::shared_ptr<const RepairableReference>> HeadStart::reference_of(const RoutingTask& task,
                                                                                  const std::stop_token& stop) {
  return is_first_ ? state_.repairs.preview(early_.config, task, stop) : state_.repairs.known_reference(task);
}

TablesAhead HeadStart::tables_of(RoutingTask task, std::shared_ptr<const RepairableReference> reference) {
  return {std::move(task),
          std::move(reference),
          {},
          std::make_shared<MulticastState>(std::exchange(early_.multicast, {})),
          is_first_,
          is_first_ ? nullptr : upload_};
}

// What the thread is to make; `sound` is it where the last run has it. Nothing: see look_closer(); nor by a search, which
// would end when a clock says so.
std::optional<TablesAhead> HeadStart::plan(const std::stop_token& stop, std::shared_ptr<const SoundRouting>& sound) {
  std::optional<RoutingTask> task = look_closer();
  if (!task) return std::nullopt;
  if (!task->may_be_repaired) {
    if (traits_of(task->engine).searches) return std::nullopt;
    return tables_of(*std::move(task), nullptr);
  }
  task->fabric_print = fingerprint(*task->fabric);
  auto reference = reference_of(*task, stop);
  if (!reference || (!is_first_ && !*reference)) return std::nullopt;  // until there is one, or one is on its way
  if (early_.last_repaired.serves(*task, reference->get())) sound = early_.last_repaired.sound;
  TablesAhead tables = tables_of(*std::move(task), *std::move(reference));
  if (sound) tables.multicast = nullptr;  // what is there goes with it
  return tables;
}

void HeadStart::tell(std::optional<TablesAhead> tables) {
  early_.last_repaired = {};  // the run may want its memory
  const std::lock_guard lock(mutex_);
  has_looked_ = std::exchange(is_looking_, false);
  tables_ = std::move(tables);
  changed_.notify_all();
}

void HeadStart::work(const std::stop_token& stop) {
  Result<PluginConfig> config = read_config(early_.opensm.event_plugin_options);
  if (!config) return;
  early_.config = *std::move(config);
  if (!is_possible()) return;
  memory_.stop();
  if (!is_small(osm_)) memory_.wait(begins_first_);
  if (!wait_until(is_master, stop)) return;
  if (!goes_first() || !is_small(osm_)) lower_this_thread();
  // Later OpenSM is at work as well, and a repair is done in time.
  tbb::task_arena arena(is_first_ ? threads_of_run(osm_, early_.config) : 1);
  // Only this thread has to share with OpenSM: a run that came meanwhile could not raise the others.
  const RealtimeWorkers workers(arena, goes_first());
  arena.execute([&] { is_first_ ? start_first(stop) : start_later(stop); });
}

Result<std::shared_ptr<const SoundRouting>> HeadStart::route(const RoutingTask& task) {
  Laps laps;
  if (is_first_) return route_anew(task, laps);
  tbb::task_arena arena(threads_of_run(osm_, early_.config));  // no other run has the workers meanwhile
  const RealtimeWorkers workers(arena, goes_first());
  return arena.execute([&] { return route_anew(task, laps); });
}

void HeadStart::make(const TablesAhead& tables, std::shared_ptr<const SoundRouting>& sound) {
  Laps laps;
  const RoutingTask& task = tables.task;
  if (tables.reference)
    sound = repair_reference(task, tables.reference, laps).sound;
  else if (auto routed = route(task))
    sound = *std::move(routed);
  if (!sound || !sound->routing.lanes) return;
  const std::shared_ptr<const Lanes> lanes(sound, &*sound->routing.lanes);
  tables.multicast->adopt(task.fabric, task.tree, std::move(mcast_support_),
                          MulticastState::Unicast{sound->dependencies, lanes, task.options.max_vls});
}

void HeadStart::take_start(LidsRead lids, const std::stop_token& stop) {
  if (!look(lids, stop)) return;
  std::optional<TablesAhead> tables;
  std::shared_ptr<const SoundRouting> sound;
  attempt([&] { tables = plan(stop, sound); });
  std::promise<std::shared_ptr<const SoundRouting>> promise;
  if (tables) tables->sound = promise.get_future().share();
  tell(tables);
  attempt([&] {
    if (tables && !sound) make(*tables, sound);
  });
  promise.set_value(sound);
  attempt([&] {
    if (sound && tables->upload) tables->upload->write(osm_, *tables->task.fabric, sound->rows(), stop, goes_first());
  });
}

void HeadStart::start_first(const std::stop_token& stop) {
  take_start(LidsRead::kForeseen, stop);
  if (wait_until(has_first_lids, stop)) take_start(LidsRead::kAssigned, stop);
}

void HeadStart::start_later(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kRemoval{2};  // of what has not answered, under OpenSM's lock, comes first
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kRemoval, [] { return false; });
  }
  if (wait_until(has_all_lids, stop)) take_start(lids_, stop);
}

void HeadStart::hand_over(std::string_view engine, PluginState& state) {
  std::unique_lock lock(mutex_);
  if ((is_looking_ || has_looked_) && state.config.thread_priority == ThreadPriority::kRealtime)
    raise_thread(thread_.native_handle());
  changed_.wait(lock, [&] { return !is_looking_; });
  if (!std::exchange(has_looked_, false)) return;
  Snapshots snapshots = std::exchange(early_.snapshots, {});
  LastShape last_shape = std::exchange(early_.last_shape, {});
  HostNumbers host_numbers = std::exchange(early_.host_numbers, {});
  std::optional<TablesAhead> tables = std::exchange(tables_, std::nullopt);
  if (engine != engine_ || early_.config != state.config || early_.opensm != state.opensm) return;
  state.snapshots = std::move(snapshots);
  state.last_shape = std::move(last_shape);
  if (is_first_) state.host_numbers = std::move(host_numbers);  // later the run says which hosts have new names
  state.ahead = std::move(tables);
}

}  // namespace espalier
