// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// All generators by name: one table from which the command line, its help and the tests are made. What the literature
// has under many names is mostly a PGFT in another notation, and is reduced to one here (Gliksberg 2022, 1.3.3):
//
//   XGFT(h; m; w)        PGFT(h; m; w; 1,..,1)
//   GFT(h; m; w)         PGFT(h; m,..,m; 1,w,..,w; 1,..,1)        hosts have one port; levels count switches. Where
//                        hosts count as a level and have w ports, as with Ohring, write it as an XGFT with w1 = w.
//   k-ary n-tree         PGFT(n; k,..,k; 1,k,..,k; 1,..,1)        k^n hosts, n k^(n-1) switches (Petrini 1997)
//   m-port n-tree        PGFT(n; k,..,k,2k; 1,k,..,k; 1,..,1)     m = 2k; 2 k^n hosts, (2n-1) k^(n-1) switches
//                                                                 (Lin 2004)
//   RLFT(h, K, p)        PGFT(h; k,k/p2,..,2k/ph; 1,k/p2,..,k/ph; 1,p2,..,ph)    K = 2k (Zahavi 2010)
//   Leiserson fat tree   PGFT(n; k,..,k; 1,..,1; 1,k,..,k^(n-1))  one switch above k, as many links up as hosts below
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "core/base/result.h"
#include "core/fabric/generators/direct_networks.h"
#include "core/fabric/generators/directors.h"
#include "core/fabric/generators/dragonfly.h"
#include "core/fabric/generators/megafly.h"
#include "core/fabric/generators/pgft.h"

namespace espalier {

// A PgftSpec whose p links pods; see generate_qft().
struct QftSpec {
  PgftSpec tree;
};

using TopologySpec = std::variant<PgftSpec, QftSpec, DragonflySpec, MegaFlySpec, DirectorsSpec, DirectNetworkSpec>;

// Errors: those of the generator of that kind.
[[nodiscard]] Result<Fabric> generate(const TopologySpec& spec);

struct Generator {
  std::string_view name;     // the word for it: "kary"
  std::string_view title;    // with its article: "a k-ary n-tree"
  std::string_view source;   // who published it
  std::string_view form;     // of a spec: "k,n"
  std::string_view meaning;  // of the letters in `form`
  std::string_view example;  // a spec: "18,3"
  std::string_view gives;    // what the example is
  Result<TopologySpec> (*read)(const NumberLists& lists);

  // Errors: text that is not of this form; the advice shows form and example.
  [[nodiscard]] Result<TopologySpec> parse(std::string_view spec) const;
};

// In the order of the documentation.
[[nodiscard]] std::span<const Generator> generators();

}  // namespace espalier
