// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Zahavi names a level-l switch by the digits (a_h .. a_(l+1), b_l .. b_1): the a say which pod, the b which switch in
// it. A node of level l-1 and a switch of level l are cabled if their digits agree in all places but the l-th. Reading
// the a and the b as two numbers in mixed radix, most significant first,
//
//   child (pod' = pod m_l + a_l, inner')   <->   parent (pod, inner = b_l width_(l-1) + inner')
//
// for all a_l and b_l, which is the whole generator.
#include "core/fabric/pgft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "core/fabric/fabric_builder.h"

namespace espalier {
namespace {

constexpr unsigned kMaxLevels = 16;
constexpr unsigned kMaxNumber = 65535;
constexpr unsigned kMaxPorts = 254;
constexpr std::uint64_t kMany = std::uint64_t{1} << 32;
constexpr std::uint64_t kSwitchGuids = 0x0002c90000000000;
constexpr std::uint64_t kHostGuids = 0x0002c90100000000;
constexpr LinkRate kRate{4, LinkSpeed::kEdr};

std::uint64_t product(const std::vector<unsigned>& factors, std::size_t begin, std::size_t end) {
  std::uint64_t result = 1;
  for (std::size_t i = begin; i < end; ++i) result = std::min(kMany, result * factors[i]);
  return result;
}

tl::unexpected<Error> malformed(std::string_view text, std::string what) {
  return fail(fmt::format("\"{}\" is not a PGFT: {}", text, what),
              "write \"h;m1,..,mh;w1,..,wh;p1,..,ph\", for example \"2;18,36;1,18;1,1\"");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// 0 when `word` is not a number of 1 .. kMaxNumber.
unsigned number(std::string_view word) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!word.empty() && is_blank(word.front())) word.remove_prefix(1);
  while (!word.empty() && is_blank(word.back())) word.remove_suffix(1);
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc() && rest == word.data() + word.size();
  return whole && value <= kMaxNumber ? value : 0;
}

// What parse() proves, for a spec that somebody filled in by hand.
Status check_numbers(const PgftSpec& spec) {
  if (spec.h < 1 || spec.h > kMaxLevels)
    return malformed(spec.text(), fmt::format("it has to have 1 to {} levels", kMaxLevels));
  for (const auto* list : {&spec.m, &spec.w, &spec.p}) {
    if (list->size() != spec.h)
      return malformed(spec.text(), fmt::format("each list needs {} numbers, one has {}", spec.h, list->size()));
    for (const unsigned value : *list)
      if (value < 1 || value > kMaxNumber)
        return malformed(spec.text(), fmt::format("each number has to be 1 to {}", kMaxNumber));
  }
  return {};
}

unsigned down_ports(const PgftSpec& spec, unsigned level) { return spec.m[level - 1] * spec.p[level - 1]; }
unsigned up_ports(const PgftSpec& spec, unsigned level) {
  return level < spec.h ? spec.w[level] * spec.p[level] : 0;  // level 0: the ports of a host
}

Status check_size(const PgftSpec& spec) {
  if (up_ports(spec, 0) > kMaxPorts)
    return fail(fmt::format("PGFT({}): a host would have {} ports; at most {} are possible", spec.text(),
                            up_ports(spec, 0), kMaxPorts));
  for (unsigned level = 1; level <= spec.h; ++level) {
    const std::uint64_t ports = std::uint64_t{down_ports(spec, level)} + up_ports(spec, level);
    if (ports > kMaxPorts)
      return fail(
          fmt::format("PGFT({}): a switch of level {} would have {} ports, {} down and {} up; at most {} are "
                      "possible",
                      spec.text(), level, ports, down_ports(spec, level), up_ports(spec, level), kMaxPorts));
  }
  std::uint64_t lids = std::min(kMany, spec.num_hosts() * up_ports(spec, 0));
  for (unsigned level = 1; level <= spec.h; ++level) lids += spec.num_switches(level);
  if (lids > index(kMaxUnicastLid))
    return fail(fmt::format("PGFT({}): {}{} switches and end ports need more than the {} unicast LIDs of a subnet",
                            spec.text(), lids >= kMany ? "at least " : "", lids, index(kMaxUnicastLid)));
  return {};
}

std::string switch_name(const PgftSpec& spec, unsigned level, std::uint64_t i) {
  if (level == 1) return fmt::format("leaf {}", i);
  const std::uint64_t width = product(spec.w, 0, level);
  return fmt::format("L{} {}.{}", level, i / width, i % width);
}

// Room for the port numbers 1 .. ports between the node GUIDs of two hosts.
std::uint64_t host_stride(unsigned ports) {
  std::uint64_t stride = 16;
  while (stride <= ports) stride *= 2;
  return stride;
}

}  // namespace

Result<PgftSpec> PgftSpec::parse(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ';');
  if (parts.size() != 4) return malformed(text, fmt::format("it needs 4 parts between ';', not {}", parts.size()));
  PgftSpec spec;
  spec.h = number(parts[0]);
  if (spec.h == 0 || spec.h > kMaxLevels)
    return malformed(text, fmt::format("the number of levels has to be 1 to {}, not \"{}\"", kMaxLevels, parts[0]));
  for (const std::size_t i : {1U, 2U, 3U}) {
    std::vector<unsigned>& list = i == 1 ? spec.m : i == 2 ? spec.w : spec.p;
    for (const std::string_view word : split(parts[i], ',')) {
      list.push_back(number(word));
      if (list.back() == 0) return malformed(text, fmt::format("\"{}\" is not a number of 1 to {}", word, kMaxNumber));
    }
    if (list.size() != spec.h)
      return malformed(text, fmt::format("with {} levels {} needs {} numbers, not {}", spec.h,
                                         std::string(1, "mwp"[i - 1]), spec.h, list.size()));
  }
  return spec;
}

std::string PgftSpec::text() const {
  return fmt::format("{};{};{};{}", h, fmt::join(m, ","), fmt::join(w, ","), fmt::join(p, ","));
}

std::uint64_t PgftSpec::num_hosts() const { return product(m, 0, m.size()); }

std::uint64_t PgftSpec::num_switches(unsigned level) const {
  return std::min(kMany, product(w, 0, level) * product(m, level, m.size()));
}

Result<Fabric> generate_pgft(const PgftSpec& spec) {
  if (Status ok = check_numbers(spec); !ok) return tl::unexpected(ok.error());
  if (Status ok = check_size(spec); !ok) return tl::unexpected(ok.error());
  // From here on all counts are small: nodes have at most 254 ports and there are less than 49 152 of them.

  FabricBuilder builder;
  std::vector<FabricBuilder::SwitchHandle> first_of_level(spec.h + 1);  // handles within a level are consecutive
  for (unsigned level = 1; level <= spec.h; ++level) {
    first_of_level[level] = id_at<FabricBuilder::SwitchHandle>(builder.num_switches());
    for (std::uint64_t i = 0; i < spec.num_switches(level); ++i) {
      Switch s;
      s.guid = Guid{kSwitchGuids + (std::uint64_t{level} << 24) + i};
      s.description = switch_name(spec, level, i);
      s.num_ports = static_cast<std::uint8_t>(down_ports(spec, level) + up_ports(spec, level));
      builder.add_switch(std::move(s));
    }
  }
  const unsigned host_ports = up_ports(spec, 0);  // end port `port` of host i has the handle i * host_ports + port - 1
  for (std::uint64_t i = 0; i < spec.num_hosts(); ++i) {
    for (unsigned port = 1; port <= host_ports; ++port) {
      Endport e;
      e.node_guid = Guid{kHostGuids + i * host_stride(host_ports)};
      e.port_guid = Guid{index(e.node_guid) + port};
      e.description = fmt::format("host {}", i);
      e.port = id_at<PortNum>(port);
      builder.add_endport(std::move(e));
    }
  }

  for (unsigned level = 1; level <= spec.h; ++level) {
    const unsigned m = spec.m[level - 1], w = spec.w[level - 1], p = spec.p[level - 1];
    const std::size_t child_pods = product(spec.m, level - 1, spec.h);
    const std::size_t child_width = product(spec.w, 0, level - 1);
    const unsigned first_up = level == 1 ? 1 : down_ports(spec, level - 1) + 1;
    const auto switch_at = [&](unsigned of_level, std::size_t i) {
      return id_at<FabricBuilder::SwitchHandle>(index(first_of_level[of_level]) + i);
    };
    for (std::size_t pod = 0; pod < child_pods; ++pod) {
      for (std::size_t inner = 0; inner < child_width; ++inner) {
        for (unsigned b = 0; b < w; ++b) {
          const auto parent = switch_at(level, pod / m * child_width * w + b * child_width + inner);
          for (unsigned q = 0; q < p; ++q) {
            const PortNum down = id_at<PortNum>(1 + pod % m * p + q);
            const PortNum up = id_at<PortNum>(first_up + b * p + q);
            if (level == 1)
              builder.connect(parent, down, id_at<FabricBuilder::EndportHandle>(pod * host_ports + index(up) - 1),
                              kRate);
            else
              builder.connect(switch_at(level - 1, pod * child_width + inner), up, parent, down, kRate);
          }
        }
      }
    }
  }
  if (Status ok = builder.assign_lids(0, FabricBuilder::Numbering::kRenumber); !ok) return tl::unexpected(ok.error());
  return std::move(builder).build();
}

}  // namespace espalier
