// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/saved_reference.h"

#include <chrono>
#include <utility>

#include "plugin/exception_guard.h"
#include "plugin/repair/state_file.h"

namespace espalier {
namespace {

// How long the first run waits for the state: the subnet is not up yet, and other tables would move every route.
constexpr std::chrono::seconds kMostReading{20};

}  // namespace

bool SavedReference::request(const std::string& directory) {
  if (is_requested_ || directory.empty()) return false;
  const std::uint64_t version = state_version(directory);
  if (version == 0 || version == version_) return false;
  directory_ = directory;
  return is_requested_ = true;
}

bool SavedReference::is_looked_at_now(const std::string& directory) {
  return !directory.empty() && !std::exchange(was_looked_at_, true) && state_version(directory) != 0;
}

SavedReference::Read SavedReference::take(std::unique_lock<std::mutex>& lock) {
  const bool is_read = changed_.wait_for(lock, kMostReading, [&] { return !is_requested_; });
  is_too_late_ = !is_read;
  Read read{std::exchange(read_.reference, nullptr), read_.error};
  if (!is_read) read.error = "reading it took too long";
  return read;
}

std::optional<SavedReference::Read> SavedReference::preview(std::unique_lock<std::mutex>& lock,
                                                            const std::stop_token& stop) const {
  if (!changed_.wait(lock, stop, [&] { return !is_requested_; })) return std::nullopt;
  return read_;
}

bool SavedReference::is_overwritten(const std::string& directory) const {
  const std::uint64_t version = state_version(directory);
  return version != 0 && version != version_;
}

void SavedReference::note_written(const std::string& directory) {
  is_being_written_ = false;
  version_ = state_version(directory);
}

void SavedReference::read() {
  std::string directory;
  {
    const std::lock_guard lock(mutex_);
    directory = directory_;
  }
  const std::uint64_t version = state_version(directory);
  Read read{nullptr, "it cannot be read"};
  with_exception_guard(
      [&] {
        Result<Reference> reference = load_state(directory);
        read.error = reference ? "" : reference.error().text();
        if (reference) read.reference = prepare(*std::move(reference));
      },
      [&](const char* what) { read.error = what; });
  const std::lock_guard lock(mutex_);
  if (is_too_late_) read.reference = nullptr;
  read_ = std::move(read);
  version_ = version;
  is_requested_ = false;
  changed_.notify_all();
}

Status SavedReference::write(const std::string& directory, const Reference& reference) {
  {
    const std::lock_guard lock(mutex_);
    is_being_written_ = true;
  }
  return save_state(directory, reference);
}

}  // namespace espalier
