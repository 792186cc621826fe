// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Every single switch, link and end port of a fabric, one after the other.
#pragma once

#include <string>

#include "tests/support/without.h"

namespace espalier::test {

// check(fabric without it, what it is)
template <class Check>
void break_each_once(const Fabric& whole, Check&& check) {
  for (const SwitchId s : whole.switches()) {
    check(without_switch(whole, s), whole.label(s));
    for (std::size_t p = 1; p <= whole.at(s).num_ports; ++p)
      if (const Peer& peer = whole.peer(s, id_at<PortNum>(p));
          peer.is_endport() || (peer.is_switch() && index(s) < peer.id))
        check(without_link(whole, s, id_at<PortNum>(p)), whole.label(s) + " port " + std::to_string(p));
  }
  for (const EndportId e : whole.endports()) check(without_endport(whole, e), whole.label(e));
}

}  // namespace espalier::test
