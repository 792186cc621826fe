// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule/schedule_directory.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/io/file.h"
#include "core/io/schedule/schedule_file.h"
#include "core/schedule/client/schedule_layout.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> system_error(const fs::path& path, const std::error_code& error) {
  return fail_at(path.string(), 0, error.message(), "schedule_directory has to be a directory that can be written");
}

bool says_the_same(const fs::path& file, const Schedule& schedule) {
  const auto content = read_file(file.string());
  if (!content) return false;
  const auto old = read_schedule_file(*content, file.string());
  return old && *old == schedule;
}

}  // namespace

std::string epoch_file_name(std::uint64_t epoch) {
  return fmt::format("{}{:0{}}{}", layout::kPrefix, epoch, layout::kEpochDigits, layout::kSuffix);
}

std::optional<std::uint64_t> current_epoch(const std::string& directory) {
  std::error_code error;
  const std::string target = fs::read_symlink(fs::path(directory) / layout::kCurrent, error).string();
  const std::uint64_t epoch = error ? 0 : layout::epoch_of_file_name(target);
  return epoch == 0 ? std::nullopt : std::optional(epoch);
}

Result<std::uint64_t> publish_schedule(const std::string& directory, Schedule schedule) {
  const fs::path root(directory);
  std::error_code error;
  fs::create_directories(root, error);
  if (error) return system_error(root, error);
  const std::optional<std::uint64_t> last = current_epoch(directory);
  schedule.epoch = last.value_or(0);
  if (last && says_the_same(root / epoch_file_name(*last), schedule)) return *last;

  ++schedule.epoch;
  const std::string name = epoch_file_name(schedule.epoch);
  if (Status ok = write_file((root / name).string(), write_schedule_file(schedule)); !ok)
    return tl::unexpected(ok.error());
  // The epoch is complete; nobody sees it yet.
  const fs::path next = root / "current.next";
  fs::remove(next, error);
  fs::create_symlink(name, next, error);
  if (error) return system_error(next, error);
  fs::rename(next, root / layout::kCurrent, error);
  if (error) return system_error(root / layout::kCurrent, error);
  // Everybody who looks sees the new epoch, whole.
  if (schedule.epoch > kKeptEpochs) fs::remove(root / epoch_file_name(schedule.epoch - kKeptEpochs), error);
  return schedule.epoch;
}

}  // namespace espalier
