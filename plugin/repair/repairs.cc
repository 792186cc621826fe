// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/repairs.h"

#include <fmt/format.h>
#include <malloc.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "core/base/hash.h"
#include "core/engines/engines.h"
#include "core/fabric/fingerprint.h"
#include "plugin/exception_guard.h"
#include "plugin/repair/rebalance.h"
#include "plugin/repair/state_file.h"
#include "plugin/thread_priority.h"

namespace espalier {
namespace {

constexpr std::chrono::seconds kMostPreparing{20};  // that a run waits for
constexpr std::chrono::seconds kLongestPause{60};   // OpenSM may never tell that tables are written

std::uint64_t print_of(const RoutingTask& task) {
  const std::uint64_t of_fabric = task.fabric_print != 0 ? task.fabric_print : fingerprint(*task.fabric);
  return mix(of_fabric, fnv1a(task.origin.text()));
}

// To the kernel, what nobody uses: the allocator keeps what a run or a search has freed, and the next step's memory would
// come on top of it.
void give_memory_back() { ::malloc_trim(0); }

}  // namespace

Repairs::~Repairs() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

// ---- in OpenSM's threads ----

// REQUIRES: the lock is held, and there is something to do.
void Repairs::wake() {
  has_news_ = true;
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
  changed_.notify_all();
}

void Repairs::preload(const std::string& state_directory) {
  const std::lock_guard lock(mutex_);
  if (saved_.request(state_directory)) wake();
}

// The state, when the first run asks for it. Whatever is wrong with it is told of in one line.
void Repairs::take_state(std::unique_lock<std::mutex>& lock, const RoutingTask& task) {
  if (!saved_.is_looked_at_now(directory_)) return;
  if (saved_.request(directory_)) wake();
  auto [reference, why] = saved_.take(lock);
  if (why.empty() && reference)
    why = why_foreign(reference->reference(), *task.fabric, task.origin.engine, task.options.max_vls);
  if (!why.empty() || !reference)
    return outlets_.error(fmt::format("{}: {} is ignored: {}", task.engine, state_file(directory_), why));
  known_ = kept_from_state(std::move(reference), task, directory_);
  outlets_.info(fmt::format("{}: the reference was read from {}", task.engine, state_file(directory_)));
}

std::optional<std::shared_ptr<const RepairableReference>> Repairs::preview(const PluginConfig& config,
                                                                           const RoutingTask& task,
                                                                           const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // A run would wait for a thread to start.
  if (saved_.request(config.state_directory) || !thread_.joinable()) wake();
  const auto read = saved_.preview(lock, stop);
  if (!read) return std::nullopt;
  if (!read->error.empty() || !read->reference ||
      !why_foreign(read->reference->reference(), *task.fabric, task.origin.engine, task.options.max_vls).empty())
    return nullptr;
  return read->reference;
}

std::shared_ptr<const RepairableReference> Repairs::reference(const PluginConfig& config, const RoutingTask& task) {
  std::unique_lock lock(mutex_);
  directory_ = config.state_directory;
  // A search, which may take minutes, sees for itself.
  const bool is_others = known_ && !is_searching_ && is_overwritten();
  if (is_others) saved_.look_again();
  if ((!known_ && !fresh_) || is_others) take_state(lock, task);
  await_preparation(lock, task);
  if (!known_ || !known_->serves(task)) return nullptr;
  return known_->prepared;
}

std::shared_ptr<const RepairableReference> Repairs::known_reference(const RoutingTask& task) {
  const std::lock_guard lock(mutex_);
  return known_ && known_->serves(task) ? known_->prepared : nullptr;
}

// On small fabrics it takes less time than a slow engine, and links with lanes need a second sweep soon after the first.
void Repairs::await_preparation(std::unique_lock<std::mutex>& lock, const RoutingTask& task) {
  const bool has_others = !task.start.empty() || !is_slow(task.engine, *task.fabric) || is_large(*task.fabric, 1);
  if (has_others || (known_ && known_->serves(task))) return;
  if (paused_until_ && fresh_) {
    paused_until_.reset();  // a run has begun, so that nobody writes tables any more
    wake();
  }
  changed_.wait_for(lock, kMostPreparing, [&] { return !is_preparing_ && !fresh_; });
}

// Whether another OpenSM, while it was master, has written a reference where ours was.
bool Repairs::is_overwritten() const {
  if (directory_.empty() || known_->saved_in != directory_) return false;
  return saved_.is_overwritten(directory_);
}

void Repairs::discard_reference() {
  const std::lock_guard lock(mutex_);
  known_.reset();
}

void Repairs::plan(const PluginConfig& config, RoutingTask task, std::uint64_t print, RunFacts facts) {
  const auto now = Clock::now();
  if (print != latest_print_) last_change_ = now;
  latest_print_ = print;
  facts.now = std::chrono::system_clock::now();
  facts.last_change = facts.now - std::chrono::duration_cast<std::chrono::system_clock::duration>(now - last_change_);
  facts.was_searched = searched_print_ == print;
  facts.is_makeshift = !facts.is_first_choice && traits_of(task.engine).lanes;
  // The reference has been extended by the next run, which must not take the search for that as settled.
  has_grown_ = has_grown_ || facts.has_new_equipment;
  facts.has_new_equipment = has_grown_;
  // Where OpenSM has just started, the option is no order, but what it always is.
  const Rebalance before = std::exchange(last_rebalance_, config.rebalance).value_or(config.rebalance);
  if (config.rebalance == Rebalance::kNow && before != Rebalance::kNow) is_told_to_ = true;
  if (config.rebalance == Rebalance::kNever) is_told_to_ = false;
  facts.is_told_to = is_told_to_;
  latest_ = std::make_shared<const RoutingTask>(std::move(task));
  plan_ = plan_search(config, facts);
  wake();
}

void Repairs::in_use(const PluginConfig& config, RoutingTask task, const RepairFacts& repaired) {
  const std::lock_guard lock(mutex_);
  if (!known_) return;
  RunFacts facts;
  facts.is_first_choice = known_->is_first_choice && !repaired.is_makeshift;
  facts.has_new_options = known_->origin != task.origin;
  facts.has_new_equipment = repaired.has_new_equipment;
  facts.moved = repaired.moved;
  const std::uint64_t print = print_of(task);
  plan(config, std::move(task), print, facts);
  if (repaired.has_new_equipment) to_extend_by_ = latest_;
  // The option is new, or what was wrong with the directory may have been put right, or the file is gone.
  has_to_save_ = known_->is_first_choice && !directory_.empty() && !saved_.is_being_written() &&
                 (known_->saved_in != directory_ || state_version(directory_) == 0);
}

void Repairs::in_use(const PluginConfig& config, RoutingTask task, Made made, std::shared_ptr<const Routing> routing) {
  const std::lock_guard lock(mutex_);
  directory_ = config.state_directory;
  if (known_ && !known_->serves(task)) known_.reset();
  const bool is_first_choice = made == Made::kWhole;
  const std::uint64_t print = print_of(task);
  if (!fresh_ || print != latest_print_) fresh_ = Fresh{task, std::move(routing), is_first_choice};
  RunFacts facts;
  facts.is_first_choice = is_first_choice;
  plan(config, std::move(task), print, facts);
}

void Repairs::pause() {
  const std::lock_guard lock(mutex_);
  paused_until_ = Clock::now() + kLongestPause;
}

void Repairs::resume() {
  const std::lock_guard lock(mutex_);
  if (!paused_until_) return;
  paused_until_.reset();
  if (thread_.joinable()) wake();
}

void Repairs::sweep_at(std::optional<Clock::time_point> when) {
  const std::lock_guard lock(mutex_);
  sweep_at_ = when;
  if (when) wake();
}

std::optional<double> Repairs::reference_age() {
  const std::lock_guard lock(mutex_);
  if (!known_) return std::nullopt;
  return std::chrono::duration<double>(Clock::now() - known_->since).count();
}

// ---- in the thread of ours ----

void Repairs::work(const std::stop_token& stop) {
  tbb::task_arena(1).execute([&] {
    std::unique_lock lock(mutex_);
    if (fresh_) leave_to_run(lock);
    while (!stop.stop_requested()) {
      const auto tell = [&](const char* what) {
        outlets_.error(fmt::format("repair: {}; this is a bug in Espalier; please report it", what));
      };
      with_exception_guard([&] { step(lock, stop); }, tell);
      if (!lock.owns_lock()) lock.lock();
      is_searching_ = false;
      saved_.give_up_writing();
      if (std::exchange(is_preparing_, false)) changed_.notify_all();
    }
  });
}

// One thing that there is to do, or waits for one.
void Repairs::step(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  if (saved_.is_requested()) {
    lock.unlock();
    return saved_.read();
  }
  if (is_paused()) return wait_for_news(lock, stop);
  if (fresh_) {
    Fresh fresh = *std::exchange(fresh_, std::nullopt);
    is_preparing_ = true;
    lock.unlock();
    return prepare(std::move(fresh));
  }
  if (to_extend_by_) {
    const auto task = std::exchange(to_extend_by_, nullptr);
    lock.unlock();
    return extend_known(*task);
  }
  if (std::exchange(has_to_save_, false)) {
    lock.unlock();
    return save_known();
  }
  if (sweep_at_ && Clock::now() >= *sweep_at_) {
    sweep_at_.reset();
    lock.unlock();
    return outlets_.request_sweep();
  }
  if (plan_ && std::chrono::system_clock::now() >= plan_->at) {
    const SearchPlan plan = *std::exchange(plan_, std::nullopt);
    const auto task = latest_;
    searched_print_ = latest_print_;
    has_grown_ = false;
    is_told_to_ = false;
    is_searching_ = true;
    lock.unlock();
    return search(*task, plan.gain, stop);
  }
  wait_for_news(lock, stop);
}

bool Repairs::is_paused() {
  if (paused_until_ && Clock::now() >= *paused_until_) paused_until_.reset();
  return paused_until_.has_value();
}

// When there is something to do though nobody tells of it; a minute at most while a search is planned, whose clock may be set.
std::optional<Repairs::Clock::time_point> Repairs::next_date() const {
  if (paused_until_) return paused_until_;
  if (!plan_) return sweep_at_;
  const auto until_plan = std::min<std::chrono::system_clock::duration>(plan_->at - std::chrono::system_clock::now(),
                                                                        std::chrono::minutes(1));
  return std::min(sweep_at_.value_or(Clock::time_point::max()), Clock::now() + until_plan);
}

void Repairs::wait_for_news(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  has_news_ = false;
  const auto is_told = [&] { return has_news_; };
  const auto next = next_date();
  if (next ? changed_.wait_until(lock, stop, *next, is_told) : changed_.wait(lock, stop, is_told)) leave_to_run(lock);
}

void Repairs::prepare(Fresh fresh) {
  give_memory_back();
  const auto prepared = espalier::prepare(fresh.task, fresh.routing->tables, fresh.routing->lanes);
  fresh.routing.reset();
  std::string directory;
  bool is_overtaken = false;
  {
    const std::lock_guard lock(mutex_);
    // Others are in use by now. To wait for these would never end where links fail faster than references are made.
    is_overtaken = fresh_.has_value();
    if (is_overtaken && !stands_for(fresh.task, fresh_->task)) return;
    fresh_.reset();
    known_ = KeptReference{prepared, fresh.task.origin, fresh.is_first_choice};
    is_preparing_ = false;
    changed_.notify_all();
    directory = directory_;
  }
  if (is_overtaken) outlets_.request_sweep();
  if (fresh.is_first_choice) save(directory, prepared);
}

// So that runs need not do it again and again.
void Repairs::extend_known(const RoutingTask& task) {
  std::shared_ptr<const RepairableReference> before;
  {
    const std::lock_guard lock(mutex_);
    if (!known_) return;
    before = known_->prepared;
  }
  std::optional<Reference> extended = before->extended(*task.fabric);
  if (!extended) return;
  const auto prepared = espalier::prepare(*std::move(extended));
  std::string directory;
  {
    const std::lock_guard lock(mutex_);
    if (!known_ || known_->prepared != before) return;
    known_->prepared = prepared;
    known_->saved_in.clear();
    if (known_->is_first_choice) directory = directory_;
  }
  save(directory, prepared);
  // What hung on others gets ways of its own.
  if (has_followers(*before, *task.fabric) && !has_followers(*prepared, *task.fabric)) outlets_.request_sweep();
}

void Repairs::search(const RoutingTask& task, double least_gain, const std::stop_token& stop) {
  const BackgroundThread background;
  std::shared_ptr<const RepairableReference> known;
  {
    const std::lock_guard lock(mutex_);
    if (known_ && known_->serves(task)) known = known_->prepared;
  }
  give_memory_back();
  Result<Rebalanced> found = rebalance(task, known.get(), least_gain, stop);
  give_memory_back();
  if (stop.stop_requested()) return;
  if (!found) return outlets_.error(fmt::format("{}: rebalance: {}", task.engine, found.error().text()));
  if (is_overtaken_by_others()) return outlets_.request_sweep();
  outlets_.info(fmt::format("{}: rebalance: {}", task.engine, found->verdict));
  std::shared_ptr<const RepairableReference> prepared = known;
  if (found->is_worth_it) prepared = espalier::prepare(task, std::move(found->tables), std::move(found->lanes));
  std::string directory;
  {
    const std::lock_guard lock(mutex_);
    if (fresh_ || (known_ ? known_->prepared : nullptr) != known) return;  // overtaken by a run
    const auto since = found->is_worth_it || !known_ ? Clock::now() : known_->since;
    known_ = KeptReference{prepared, task.origin, true, since};
    directory = directory_;
  }
  if (found->is_worth_it) {
    ++num_rebalances_;
    outlets_.request_sweep();
  }
  save(directory, prepared);
}

// Whether the next run is to read what another OpenSM has written while it was master.
bool Repairs::is_overtaken_by_others() {
  {
    const std::lock_guard lock(mutex_);
    if (!known_ || !is_overwritten()) return false;
  }
  outlets_.info("rebalance: the new tables were discarded, since another program has written the reference meanwhile");
  return true;
}

void Repairs::save(const std::string& directory, const std::shared_ptr<const RepairableReference>& prepared) {
  if (directory.empty()) return;
  const Status saved = saved_.write(directory, prepared->reference());
  const std::string error = saved ? "" : fmt::format("state_directory: {}", saved.error().text());
  if (!error.empty() && error != last_save_error_) outlets_.error(error);
  last_save_error_ = error;
  const std::lock_guard lock(mutex_);
  saved_.note_written(directory);
  if (saved && known_ && known_->prepared == prepared) known_->saved_in = directory;
}

void Repairs::save_known() {
  std::shared_ptr<const RepairableReference> prepared;
  std::string directory;
  {
    const std::lock_guard lock(mutex_);
    if (!known_ || !known_->is_first_choice) return;
    prepared = known_->prepared;
    directory = directory_;
  }
  save(directory, prepared);
}

}  // namespace espalier
