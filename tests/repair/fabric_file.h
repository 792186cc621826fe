// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A fabric of a net file, for campaigns.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

#include "core/io/file.h"
#include "core/io/net/net_reader.h"

namespace espalier {

// With the LIDs of the file where each node has one. Ends the program when the file is none.
inline Fabric fabric_of_file(const std::string& path) {
  FabricBuilder builder = read_net(read_file(path).value(), path).value().builder;
  if (!builder.assign_lids(0, FabricBuilder::Numbering::kKeepComplete)) std::abort();
  return std::move(builder).build().value();
}

}  // namespace espalier
