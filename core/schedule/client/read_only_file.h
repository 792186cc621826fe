// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A file that others may have written, opened so that neither a FIFO nor a device makes the caller wait.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace espalier {

class ReadOnlyFile {
 public:
  // `more`: further flags of open(2). On failure number() is negative, and errno says why.
  explicit ReadOnlyFile(const char* path, int more = 0)
      : number_(::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | more)) {}
  ~ReadOnlyFile() {
    if (number_ >= 0) ::close(number_);
  }
  ReadOnlyFile(const ReadOnlyFile&) = delete;
  ReadOnlyFile& operator=(const ReadOnlyFile&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace espalier
