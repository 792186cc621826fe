// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/inputs/host_order.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"
#include "core/base/try.h"

namespace espalier {

HostOrder HostNumbers::by_names(const FatTree& tree, std::shared_ptr<const Fabric> fabric,
                                std::vector<std::string>& warnings) {
  if (last_fabric_ && have_same_endports(*last_fabric_, *fabric)) return last_;
  if (const std::size_t changed = names_.learn(tree); changed > 0)
    warnings.push_back(fmt::format("{} with new names: all hosts are renumbered", counted(changed, "host")));
  HostOrder order = order_by_names(tree, names_.names(tree));
  last_fabric_ = order.basis == "names" ? std::move(fabric) : nullptr;
  if (last_fabric_) last_ = order;
  return order;
}

Result<HostOrder> HostNumbers::order(const FatTree& tree, std::shared_ptr<const Fabric> fabric,
                                     const HostOrderWish& wish, InputFiles& files, std::vector<std::string>& warnings) {
  HostOrder order = order_by_topology();
  if (wish.by == HostOrderWish::By::kNames) {
    order = by_names(tree, std::move(fabric), warnings);
  } else if (wish.by == HostOrderWish::By::kFiles) {
    std::vector<HostPart> parts;
    for (const HostOrderWish::File& file : wish.files) {
      ESPALIER_TRY(const auto text, files.read(file.path));
      ESPALIER_TRY(auto read, read_host_parts(text, file.path, tree.fabric(), UnknownHosts::kSkip));
      for (HostPart& part : read) {
        part.weight = file.weight;
        parts.push_back(std::move(part));
      }
    }
    order = order_by_parts(tree, std::move(parts));
  }
  warnings.push_back(fmt::format("hosts are numbered by {}", order.basis));
  return order;
}

}  // namespace espalier
