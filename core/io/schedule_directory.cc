// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/schedule_directory.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/io/file.h"
#include "core/io/schedule_file.h"

namespace espalier {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "epoch-";
constexpr std::string_view kSuffix = ".esp";

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

std::string epoch_file_name(std::uint64_t epoch) { return fmt::format("{}{:012}{}", kPrefix, epoch, kSuffix); }

std::optional<std::uint64_t> current_epoch(const std::string& directory) {
  std::error_code error;
  const std::string target = fs::read_symlink(fs::path(directory) / "current", error).string();
  if (error || !target.starts_with(kPrefix) || !target.ends_with(kSuffix)) return std::nullopt;
  std::uint64_t epoch = 0;
  const char* const end = target.data() + target.size() - kSuffix.size();
  const auto [rest, bad] = std::from_chars(target.data() + kPrefix.size(), end, epoch);
  if (bad != std::errc() || rest != end) return std::nullopt;
  return epoch;
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
  fs::rename(next, root / "current", error);
  if (error) return system_error(root / "current", error);
  // Everybody who looks sees the new epoch, whole.
  if (schedule.epoch > kKeptEpochs) fs::remove(root / epoch_file_name(schedule.epoch - kKeptEpochs), error);
  return schedule.epoch;
}

}  // namespace espalier
