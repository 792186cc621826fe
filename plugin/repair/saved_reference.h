// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The reference in state_directory (state_file.h), as the thread of Repairs reads and writes it while runs go on. Reading
// takes as long as preparing does, so it begins before a run asks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/repair/repairable_reference.h"

namespace espalier {

class SavedReference {
 public:
  // All is under this lock. `changed` is told when something has been read. REQUIRES: both outlive this.
  SavedReference(std::mutex& mutex, std::condition_variable_any& changed) : mutex_(mutex), changed_(changed) {}

  // ---- with the lock held ----

  // The thread is to read() it. False: there is none, or it is read already or about to be.
  [[nodiscard]] bool request(const std::string& directory);
  [[nodiscard]] bool is_requested() const { return is_requested_; }
  // Whether a run is to look at what is there: the first one, and the next after look_again().
  [[nodiscard]] bool is_looked_at_now(const std::string& directory);
  void look_again() { was_looked_at_ = false; }
  struct Read {
    std::shared_ptr<const RepairableReference> reference;
    std::string error;  // empty: none, though there may be no reference either
  };
  // What the thread has read. Waits for it, within limits, and gives up the lock meanwhile.
  [[nodiscard]] Read take(std::unique_lock<std::mutex>& lock);
  // The same, for who only wants to know what take() will give. Nothing: `stop` came first.
  [[nodiscard]] std::optional<Read> preview(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) const;
  // Whether another program has written there since we have read or written.
  [[nodiscard]] bool is_overwritten(const std::string& directory) const;
  [[nodiscard]] bool is_being_written() const { return is_being_written_; }
  // After write().
  void note_written(const std::string& directory);
  // After an exception of it.
  void give_up_writing() { is_being_written_ = false; }

  // ---- in the thread, without the lock ----

  void read();
  [[nodiscard]] Status write(const std::string& directory, const Reference& reference);

 private:
  std::mutex& mutex_;
  std::condition_variable_any& changed_;
  std::string directory_;  // to be read
  bool is_requested_ = false;
  bool was_looked_at_ = false;
  bool is_too_late_ = false;   // nobody waits for what is read any more
  std::uint64_t version_ = 0;  // of what was read or written last
  Read read_;                  // and not yet looked at by a run
  bool is_being_written_ = false;
};

}  // namespace espalier
