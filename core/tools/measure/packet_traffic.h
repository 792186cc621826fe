// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The words of --traffic that name flows between hosts, on any fabric.
//
//   shift:K         host i of the topological order to host i + K
//   permutation:I   the I-th random permutation of the seed
//   matrix:FILE     an application's matrix, as for espalier analyze
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/fabric/fabric.h"
#include "core/packets/network.h"
#include "core/packets/traffic/traffic.h"

namespace espalier::tools {

// nullptr: another word. Throws Refused for a bad number or file.
[[nodiscard]] std::shared_ptr<const packets::Pattern> flows_of_word(const std::string& word, const Fabric& fabric,
                                                                    const packets::Network& network,
                                                                    std::uint64_t seed);

}  // namespace espalier::tools
