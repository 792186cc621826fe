// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Which hosts take part, and their ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/routes/host_routes.h"
#include "core/fabric/fabric.h"
#include "core/io/lists/host_parts.h"
#include "core/tools/cli_fwd.h"
#include "core/tree/order/host_order.h"
#include "core/tree/order/node_types.h"

namespace espalier::tools {

// --host-order; --order, which is not in the help, is its old name. `effect`: what is numbered, for --help.
void add_host_order_option(CLI::App& command, std::string& order, const std::string& effect);

// All hosts of the tree in an order for engines: "names", "topology", "lid", or files (core/io/lists/host_parts.h). Or
// Refused, with file and line.
[[nodiscard]] HostOrder host_order(const FatTree& tree, const std::string& words,
                                   UnknownHosts unknown = UnknownHosts::kRefuse);

// The same for whoever measures: of files only the hosts in them take part. HostOrder::hosts is never empty unless
// there are none.
[[nodiscard]] HostOrder traffic_order(const Fabric& fabric, const std::string& words);

// Those of `hosts`, which are of `whole`, that are cabled to a switch of `rest` too, in their order; ids of `rest`.
[[nodiscard]] std::vector<EndportId> remaining_hosts(const Fabric& whole, const std::vector<EndportId>& hosts,
                                                     const Fabric& rest);

// Of each end port of the fabric its place in `hosts`; kNoRank: it is not among them.
inline constexpr std::uint32_t kNoRank = 0xFFFFFFFF;
[[nodiscard]] std::vector<std::uint32_t> ranks_of(const Fabric& fabric, const std::vector<EndportId>& hosts);

// The ranks of the hosts of a type, ascending; without such a type, of those in a file as above, of which each has to be
// among `hosts`. Or Refused.
[[nodiscard]] std::vector<std::uint32_t> ranks_named(const Fabric& fabric, const std::vector<EndportId>& hosts,
                                                     const NodeTypes& types, const std::string& word);

// "0", ..., "127": this offset; "all": evenly; "1-7": evenly over these; "weights:1,2,2,2": by the weights of offsets 0,
// 1, ..., whole numbers with a sum up to 128; else a file: with lines `source destination offset`, flows that it does
// not name use offset 0; with the numbers of core/io/lists/source_offsets_file.h; or with the weights of
// core/io/lists/lid_choices_file.h. Or Refused.
[[nodiscard]] LidUse lid_use(const Fabric& fabric, const std::vector<EndportId>& hosts, const std::string& words);

}  // namespace espalier::tools
