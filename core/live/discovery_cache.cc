// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/live/discovery_cache.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <memory>

#include "core/io/descriptor.h"
#include "core/live/discovered.h"

namespace espalier::live {
namespace {

// In memory, since the library reads by name and the content may have come through a pipe.
Descriptor memory_file(std::string_view content) {
  Descriptor file(::memfd_create("espalier-cache", MFD_CLOEXEC));
  if (file.is_open() && !write_all(file, content)) file.close();
  return file;
}

}  // namespace

Result<LiveSubnet> read_discovery_cache(std::string_view content, const std::string& path) {
  const Descriptor file = memory_file(content);
  if (!file.is_open()) return fail_at(path, 0, "no memory for a copy of it");
  const std::string name = fmt::format("/proc/self/fd/{}", file.number());
  const std::unique_ptr<ibnd_fabric_t, void (*)(ibnd_fabric_t*)> fabric(ibnd_load_fabric(name.c_str(), 0),
                                                                        ibnd_destroy_fabric);
  if (!fabric)
    return fail_at(path, 0, "this cache of ibnetdiscover is damaged, or of another version of libibnetdisc",
                   "where it was made, ibnetdiscover --load-cache FILE prints it as text");
  Result<LiveSubnet> subnet = subnet_of(*fabric);
  if (!subnet) subnet.error().file = path;
  return subnet;
}

}  // namespace espalier::live
