// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Zahavi names a level-l switch by the digits (a_h .. a_(l+1), b_l .. b_1): the a say which pod, the b which switch in
// it. A node of level l-1 and a switch of level l are cabled if their digits agree in all places but the l-th. Reading
// the a and the b as two numbers in mixed radix, most significant first,
//
//   child (pod' = pod m_l + a_l, inner')   <->   parent (pod, inner = b_l width_(l-1) + inner')
//
// for all a_l and b_l, which is the whole generator. A Quasi Fat Tree sends the q-th of p parallel links to the parent
// of the same `inner` in the q-th of the p linked pods instead.
#include "core/fabric/generators/pgft.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/fabric/fabric_builder.h"
#include "core/fabric/generators/made_up_nodes.h"

namespace espalier {
namespace {

// Where the p links of a node to one parent lead.
enum class Parallel : std::uint8_t { kToOneParent, kToNeighborPods };

std::uint64_t product(const std::vector<unsigned>& factors, std::size_t begin, std::size_t end) {
  return count_product(std::span(factors).subspan(begin, end - begin));
}

std::string name_of(const PgftSpec& spec, Parallel parallel) {
  return fmt::format("{}({})", parallel == Parallel::kToOneParent ? "PGFT" : "QFT", spec.text());
}

tl::unexpected<Error> malformed(std::string_view text, std::string_view what) {
  return fail(fmt::format("\"{}\" is not a PGFT: {}", text, what),
              "write \"h;m1,..,mh;w1,..,wh;p1,..,ph\", for example \"2;18,36;1,18;1,1\"");
}

// What from() proves, for a spec that somebody filled in by hand.
Status check_numbers(const PgftSpec& spec) {
  if (spec.h < 1 || spec.h > kMaxPgftLevels)
    return malformed(spec.text(), fmt::format("it must have 1 to {} levels", kMaxPgftLevels));
  for (const auto* list : {&spec.m, &spec.w, &spec.p}) {
    if (list->size() != spec.h)
      return malformed(spec.text(), fmt::format("each list needs {} numbers, but one has {}", spec.h, list->size()));
    for (const unsigned value : *list)
      if (value < 1 || value > kMaxListedNumber)
        return malformed(spec.text(), fmt::format("each number must be from 1 to {}", kMaxListedNumber));
  }
  return {};
}

unsigned down_ports(const PgftSpec& spec, unsigned level) { return spec.m[level - 1] * spec.p[level - 1]; }
unsigned up_ports(const PgftSpec& spec, unsigned level) {
  return level < spec.h ? spec.w[level] * spec.p[level] : 0;  // level 0: the ports of a host
}

Status check_size(const PgftSpec& spec, const std::string& name) {
  std::uint64_t lids = std::min(kManyNodes, spec.num_hosts() * up_ports(spec, 0));
  Status ok = check_ports(name, "a host", up_ports(spec, 0));
  for (unsigned level = 1; ok && level <= spec.h; ++level) {
    const std::uint64_t ports = std::uint64_t{down_ports(spec, level)} + up_ports(spec, level);
    ok = check_ports(name, fmt::format("a switch of level {}", level), ports);
    lids += spec.num_switches(level);
  }
  return ok ? check_lids(name, lids) : ok;
}

// Neighbor pods exist where p divides the number of siblings; and Zahavi links at one level only.
Status check_cross_links(const PgftSpec& spec, const std::string& name) {
  if (spec.h - static_cast<unsigned>(std::count(spec.p.begin(), spec.p.end(), 1U)) > 1)
    return fail(fmt::format("{}: pods are linked at more than one level", name), "set all p except one to 1");
  for (unsigned level = 1; level <= spec.h; ++level) {
    const unsigned siblings = level < spec.h ? spec.m[level] : 1;
    if (siblings % spec.p[level - 1] != 0)
      return fail(fmt::format("{}: the {} pods of level {} below one parent cannot be linked in groups of {}", name,
                              siblings, level, spec.p[level - 1]),
                  "choose each p so that it divides the m after its own; the last one must be 1");
  }
  return {};
}

class Generator {
 public:
  Generator(const PgftSpec& spec, Parallel parallel) : spec_(spec), parallel_(parallel) {}

  Result<Fabric> run() && {
    add_nodes();
    for (unsigned level = 1; level <= spec_.h; ++level)
      for (std::size_t pod = 0; pod < product(spec_.m, level - 1, spec_.h); ++pod)
        for (std::size_t inner = 0; inner < product(spec_.w, 0, level - 1); ++inner) link(level, pod, inner);
    ESPALIER_TRY_STATUS(builder_.assign_lids(0, FabricBuilder::Numbering::kRenumber));
    return std::move(builder_).build();
  }

 private:
  void add_nodes() {
    first_of_level_.resize(spec_.h + 1);  // handles within a level are consecutive
    for (unsigned level = 1; level <= spec_.h; ++level) {
      first_of_level_[level] = builder_.num_switches();
      for (std::uint64_t i = 0; i < spec_.num_switches(level); ++i)
        builder_.add_switch(made_up_switch(level, i, made_up_name(level, i, product(spec_.w, 0, level)),
                                           down_ports(spec_, level) + up_ports(spec_, level)));
    }
    const unsigned host_ports = up_ports(spec_, 0);
    for (std::uint64_t i = 0; i < spec_.num_hosts(); ++i)
      for (unsigned port = 1; port <= host_ports; ++port) builder_.add_endport(made_up_host(i, port, host_ports));
  }

  [[nodiscard]] FabricBuilder::SwitchHandle switch_at(unsigned level, std::size_t i) const {
    return id_at<FabricBuilder::SwitchHandle>(first_of_level_[level] + i);
  }

  // The links from a node of level - 1 up to its parents.
  void link(unsigned level, std::size_t child_pod, std::size_t inner) {
    const unsigned m = spec_.m[level - 1], w = spec_.w[level - 1], p = spec_.p[level - 1];
    const std::size_t child_width = product(spec_.w, 0, level - 1);
    const std::size_t child = child_pod * child_width + inner;
    const std::size_t pod = child_pod / m, slot = child_pod % m;  // of the parents, and the child's place among theirs
    const unsigned first_up = level == 1 ? 1 : down_ports(spec_, level - 1) + 1;
    for (unsigned b = 0; b < w; ++b) {
      for (unsigned q = 0; q < p; ++q) {
        const bool linked = parallel_ == Parallel::kToNeighborPods;
        const std::size_t parent_pod = linked ? pod / p * p + q : pod;
        const auto parent = switch_at(level, parent_pod * child_width * w + b * child_width + inner);
        const PortNum down = id_at<PortNum>(1 + (linked ? pod % p * m + slot : slot * p + q));
        const PortNum up = id_at<PortNum>(first_up + (linked ? q * w + b : b * p + q));
        if (level == 1)  // end port `up` of host `child`
          builder_.connect(parent, down,
                           id_at<FabricBuilder::EndportHandle>(child * up_ports(spec_, 0) + index(up) - 1),
                           kMadeUpRate);
        else
          builder_.connect(switch_at(level - 1, child), up, parent, down, kMadeUpRate);
      }
    }
  }

  const PgftSpec& spec_;
  Parallel parallel_;
  FabricBuilder builder_;
  std::vector<std::size_t> first_of_level_;
};

Result<Fabric> generate(const PgftSpec& spec, Parallel parallel) {
  ESPALIER_TRY_STATUS(check_numbers(spec));
  ESPALIER_TRY_STATUS(check_size(spec, name_of(spec, parallel)));
  if (parallel == Parallel::kToNeighborPods) ESPALIER_TRY_STATUS(check_cross_links(spec, name_of(spec, parallel)));
  // From here on all counts are small: nodes have at most 254 ports and there are less than 49 152 of them.
  return Generator(spec, parallel).run();
}

}  // namespace

Result<PgftSpec> PgftSpec::from(const NumberLists& lists) {
  if (lists.size() != 4) return fail(fmt::format("it needs 4 parts between ';', not {}", lists.size()));
  if (lists[0].size() != 1 || lists[0][0] > kMaxPgftLevels)
    return fail(fmt::format("it needs one number of levels, 1 to {}, in front", kMaxPgftLevels));
  PgftSpec spec{lists[0][0], lists[1], lists[2], lists[3]};
  for (const std::size_t i : {1U, 2U, 3U})
    if (lists[i].size() != spec.h)
      return fail(fmt::format("with {} {} needs {}, not {}", counted(spec.h, "level"), "hmwp"[i],
                              counted(spec.h, "number"), lists[i].size()));
  return spec;
}

Result<PgftSpec> PgftSpec::parse(std::string_view text) {
  Result<PgftSpec> spec = parse_number_lists(text).and_then(from);
  if (!spec) return malformed(text, spec.error().message);
  return spec;
}

std::string PgftSpec::text() const {
  return fmt::format("{};{};{};{}", h, fmt::join(m, ","), fmt::join(w, ","), fmt::join(p, ","));
}

std::uint64_t PgftSpec::num_hosts() const { return product(m, 0, m.size()); }

std::uint64_t PgftSpec::num_switches(unsigned level) const {
  return std::min(kManyNodes, product(w, 0, level) * product(m, level, m.size()));
}

Result<Fabric> generate_pgft(const PgftSpec& spec) { return generate(spec, Parallel::kToOneParent); }
Result<Fabric> generate_qft(const PgftSpec& spec) { return generate(spec, Parallel::kToNeighborPods); }

}  // namespace espalier
