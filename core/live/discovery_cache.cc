// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/live/discovery_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <memory>

#include "core/live/discovered.h"

namespace espalier::live {
namespace {

// A file in memory, since the library reads by name and the content may have come through a pipe.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : descriptor_(::memfd_create("espalier-cache", MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written <= 0) break;
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    is_whole_ = descriptor_ >= 0 && content.empty();
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] bool is_whole() const { return is_whole_; }
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
  bool is_whole_ = false;
};

}  // namespace

Result<LiveSubnet> read_discovery_cache(std::string_view content, const std::string& path) {
  const MemoryFile file(content);
  if (!file.is_whole()) return fail_at(path, 0, "no memory for a copy of it");
  const std::unique_ptr<ibnd_fabric_t, void (*)(ibnd_fabric_t*)> fabric(ibnd_load_fabric(file.path().c_str(), 0),
                                                                        ibnd_destroy_fabric);
  if (!fabric)
    return fail_at(path, 0, "this cache of ibnetdiscover is damaged, or of another version of libibnetdisc",
                   "where it was made, ibnetdiscover --load-cache FILE prints it as text");
  Result<LiveSubnet> subnet = subnet_of(*fabric);
  if (!subnet) subnet.error().file = path;
  return subnet;
}

}  // namespace espalier::live
