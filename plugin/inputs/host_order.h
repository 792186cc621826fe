// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The option host_order of espalier.conf, on the fabric at hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/io/lists/host_parts.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/numbered_names.h"
#include "plugin/inputs/input_files.h"

namespace espalier {

class HostNumbers {
 public:
  // How jobs number the hosts of the tree; names are those that their places were first seen with. Sentences for the
  // log go to `warnings`. REQUIRES: `fabric` is that of the tree. Errors: those of the files.
  [[nodiscard]] Result<HostOrder> order(const FatTree& tree, std::shared_ptr<const Fabric> fabric,
                                        const HostOrderWish& wish, InputFiles& files,
                                        std::vector<std::string>& warnings);

 private:
  [[nodiscard]] HostOrder by_names(const FatTree& tree, std::shared_ptr<const Fabric> fabric,
                                   std::vector<std::string>& warnings);

  NumberedNames names_;
  // The last order by names alone, and whose it is: it depends on nothing but the end ports.
  std::shared_ptr<const Fabric> last_fabric_;
  HostOrder last_;
};

}  // namespace espalier
