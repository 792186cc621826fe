// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/work_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>

#include "core/tools/command.h"

namespace espalier::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "espalier-compare-";

// The folder at `path`, locked; closed when it is not a folder of this user alone, or in use.
Descriptor lock_own(const fs::path& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  const bool is_ours = folder.is_open() && ::fstat(folder.number(), &info) == 0 && info.st_uid == ::geteuid() &&
                       (info.st_mode & 07777U) == 0700;
  if (!is_ours || ::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) folder.close();
  return folder;
}

// Folders of campaigns that were killed.
void remove_abandoned(const fs::path& temporary) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary, ignored)) {
    if (!entry.path().filename().string().starts_with(kPrefix)) continue;
    if (const Descriptor lock = lock_own(entry.path()); lock.is_open()) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

WorkFolder::WorkFolder() {
  const fs::path temporary = fs::temp_directory_path();
  remove_abandoned(temporary);
  std::string name = temporary / fmt::format("{}XXXXXX", kPrefix);
  if (::mkdtemp(name.data()) == nullptr)
    throw Refused{
        {fmt::format("cannot make a folder: {}", std::strerror(errno)), temporary, 0, "set TMPDIR to another folder"}};
  path_ = name;
  lock_ = lock_own(path_);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string WorkFolder::fresh() const {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, error)) {
    fs::remove_all(entry.path(), error);
    if (error) throw Refused{{fmt::format("cannot be removed: {}", error.message()), entry.path(), 0, {}}};
  }
  return path_;
}

}  // namespace espalier::tools
