// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "core/io/system_error.h"

namespace espalier {
namespace {

std::string temporary_name() {
  static std::atomic<unsigned> counter{0};
  return fmt::format(".espalier-{}-{}.tmp", ::getpid(), counter++);
}

}  // namespace

Result<NewFile> NewFile::create(int directory, mode_t mode, std::string path) {
  NewFile file(directory, std::move(path));
  int descriptor = ::openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor < 0) {
    file.temporary_ = temporary_name();
    descriptor =
        ::openat(directory, file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor < 0) {
      file.temporary_.clear();
      return system_error("create a file in its folder", file.path_);
    }
  }
  file.stream_ = ::fdopen(descriptor, "wb");
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : directory_(other.directory_),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      stream_(std::exchange(other.stream_, nullptr)) {}

NewFile::~NewFile() {
  if (!temporary_.empty()) (void)::unlinkat(directory_, temporary_.c_str(), 0);
  if (stream_ != nullptr) (void)std::fclose(stream_);
}

int NewFile::link_to(const std::string& name) const {
  const std::string self = fmt::format("/proc/self/fd/{}", ::fileno(stream_));
  const int done = temporary_.empty() ? ::linkat(AT_FDCWD, self.c_str(), directory_, name.c_str(), AT_SYMLINK_FOLLOW)
                                      : ::linkat(directory_, temporary_.c_str(), directory_, name.c_str(), 0);
  return done == 0 ? 0 : errno;
}

Status NewFile::named_as(const std::string& name, Existing existing) {
  if (existing == Existing::kRefused) {
    errno = link_to(name);
    return errno == 0 ? Status{} : system_error("name the new file", path_);
  }
  // Names are replaced by rename(2) alone, and what is renamed needs a name.
  if (temporary_.empty()) {
    std::string beside = temporary_name();
    while ((errno = link_to(beside)) == EEXIST) beside = temporary_name();
    if (errno != 0) return system_error("name the new file", path_);
    temporary_ = std::move(beside);
  }
  if (::renameat(directory_, temporary_.c_str(), directory_, name.c_str()) != 0)
    return system_error("rename the new file", path_);
  temporary_.clear();
  return {};
}

Status NewFile::publish(const std::string& name, Existing existing) {
  if (std::fflush(stream_) != 0) return system_error("write", path_);
  if (Status done = named_as(name, existing); !done) return done;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) return system_error("write", path_);
  return {};
}

}  // namespace espalier
