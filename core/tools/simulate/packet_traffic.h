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
#include <vector>

#include "core/fabric/fabric.h"
#include "core/packets/network.h"
#include "core/packets/source_paths.h"
#include "core/packets/traffic/flows.h"
#include "core/packets/traffic/offsets.h"
#include "core/packets/traffic/transfers.h"
#include "core/simulation/transfer.h"

namespace espalier::tools {

// nullptr: another word. Throws Refused for a bad number or file.
[[nodiscard]] std::shared_ptr<const packets::Flows> flows_of_word(const std::string& word, const Fabric& fabric,
                                                                  const packets::Network& network, std::uint64_t seed);

// Whose base LIDs these are: of each node of the network.
[[nodiscard]] std::vector<Lid> lids_of(const Fabric& fabric, const packets::Network& network);

// By which LIDs packets go, as --lid-offset says; empty: by the base LID. Throws Refused as lid_use().
[[nodiscard]] packets::OffsetChoice offsets_of_word(const std::string& word, const Fabric& fabric,
                                                    const packets::Network& network);

// Transfers as packets of so many bytes each, at least one. Those of hosts without a link, and of switches unless they
// take part, are left out.
[[nodiscard]] std::vector<std::vector<packets::PacketTransfer>> packets_of(
    const Fabric& fabric, const packets::Network& network, const std::vector<std::vector<Transfer>>& phases,
    std::uint32_t packet_bytes);

// The paths of a file (core/io/lists/path_shares_file.h). Throws Refused.
[[nodiscard]] packets::SourcePaths paths_of_file(const std::string& file, const Fabric& fabric,
                                                 const packets::Network& network);
// Those that packets took in several runs, as such a file.
[[nodiscard]] std::string paths_text(const Fabric& fabric, const packets::Network& network,
                                     const std::vector<packets::PathCounts>& runs);

}  // namespace espalier::tools
