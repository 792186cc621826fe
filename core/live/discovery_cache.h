// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// What `ibnetdiscover --cache FILE` wrote: the memory of libibnetdisc, which that library alone can read.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/live/live_subnet.h"

namespace espalier::live {

// The subnet in `content`, the bytes of the file `path`; nothing is sent. libibnetdisc reads some damaged caches for
// ever: run this where it can be stopped. Errors: the library refuses the content; those of FabricBuilder::build.
[[nodiscard]] Result<LiveSubnet> read_discovery_cache(std::string_view content, const std::string& path);

}  // namespace espalier::live
