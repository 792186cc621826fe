// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/descriptor.h"

#include <unistd.h>

#include <cerrno>

namespace espalier {

void Descriptor::close() {
  if (number_ >= 0) ::close(release());
}

bool write_all(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace espalier
