// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The option host_order of espalier.conf, on the fabric at hand.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/lists/host_parts.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/numbered_names.h"

namespace espalier {

// How jobs number the hosts of the tree. Names are those of `names`, which learns those that are new. Sentences for the
// log go to `warnings`. Errors: those of the files.
[[nodiscard]] Result<HostOrder> wished_order(const FatTree& tree, const HostOrderWish& wish, NumberedNames& names,
                                             std::vector<std::string>& warnings);

}  // namespace espalier
