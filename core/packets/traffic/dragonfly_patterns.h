// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Uniform and adversarial patterns (Garcia et al. 2013, IV), and both combined (Faizian 2018, 4.3).
//
//   un        each packet to a random other node; where switches take part, from hosts to hosts and from switches to
//             switches
//   advg:N    nodes of group i to random nodes of group i + N (modulo the number of groups)
//   advl:N    nodes of router i of a group to random nodes of router i + N of the same group (modulo its size)
//   mixed:P   each packet with probability P as advg:h, else as advl:1, where h is the number of global links of a
//             router; P is 0 .. 1, above 1 percent up to 100
//   nlc:U:W   each packet with probability U as un, else as W, one of advg:N, advl:N, mixed:P: NLC_URADV of Faizian
//   rlc:U:W   the nodes of a share U of all routers as un, those of the others as W: RLC_URADV. Which routers, he does
//             not say; here both kinds in turn
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/base/result.h"
#include "core/packets/dragonfly.h"
#include "core/packets/traffic/traffic.h"

namespace espalier::packets {

struct PatternSpec {
  enum class Kind : std::uint8_t { kUniform, kAdversarialGlobal, kAdversarialLocal, kMixed };
  Kind kind = Kind::kUniform;
  std::uint32_t shift = 1;  // of advg, advl
  double global_share = 0;  // P of mixed
  enum class Uniform : std::uint8_t { kNothing, kPackets, kRouters };
  Uniform uniform = Uniform::kNothing;   // what goes as un beside the pattern
  double uniform_share = 0;              // U of nlc, rlc
  std::optional<std::uint32_t> burst{};  // packets of each node; none: a load without end

  [[nodiscard]] bool needs_groups() const { return kind != Kind::kUniform; }
};

// One of the words above, or burst:B:P: B packets of mixed:P from each node at once, or burst:B:advl:N and so on.
// Errors: another word, a number that is missing or out of its range.
[[nodiscard]] Result<PatternSpec> parse_pattern(std::string_view text);

// The network outlives the pattern, and the dragonfly as well, which only uniform traffic goes without.
// Errors: a router or group that has nobody to send to.
[[nodiscard]] Result<std::shared_ptr<const Pattern>> make_pattern(const PatternSpec& spec, const Network& network,
                                                                  const Dragonfly* dragonfly);

}  // namespace espalier::packets
