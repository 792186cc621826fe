// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/io/descriptor.h"

namespace espalier {

Status append_to_file(const std::string& path, std::string_view content) {
  constexpr mode_t kMode = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
  // Without waiting for the reader of a FIFO.
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, kMode));
  if (!file.is_open()) return fail_at(path, 0, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return fail_at(path, 0, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return fail_at(path, 0, "not a regular file");
  if (write_all(file, content)) return {};
  const int why = errno;
  static_cast<void>(::ftruncate(file.number(), status.st_size));  // what comes next would follow on half a line
  return fail_at(path, 0, std::strerror(why));
}

}  // namespace espalier
