// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Link flaps: links that came back and went too often carry nothing until they have been quiet. Most failures of
// large fabrics are such flaps (Stein 2024, chapter 4), and each one that is believed moves routes twice.
//
//   a link between two switches is lost        it counts one, unless both switches are gone as well: they may be there, but
//                                              out of the subnet manager's sight, as all of a fabric when its own leaf is cut off
//   it has been unchanged for `hold`            it counts none
//   it is there, and counts kTooOften or more   it is held: routed as if it was absent
//
// Held links without which some hosts would be cut off are used all the same, as few as it takes. So is the
// link of a host, which has no other. A switch that flaps is all of its links.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fabric/fabric.h"

namespace espalier {

class FlapHold {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr unsigned kTooOften = 3;

  struct Held {
    std::vector<ChannelId> links;     // of the fabric: one channel of each link that is to be absent
    std::vector<std::string> names;   // "leaf 2 port 7 - spine 1 port 3", of all links that flap, for people
    std::vector<std::string> needed;  // of these: used all the same
    std::size_t num_gone = 0;         // of links that flap and are absent at present
    std::optional<Time> look_again;   // when the first of them has been quiet

    [[nodiscard]] bool is_needed(const std::string& name) const {
      return std::find(needed.begin(), needed.end(), name) != needed.end();
    }
    // Names of `links`.
    [[nodiscard]] std::vector<std::string> absent() const {
      std::vector<std::string> absent = names;
      std::erase_if(absent, [&](const std::string& name) { return is_needed(name); });
      return absent;
    }
  };

  // Notes which links are there now, and tells which are held. The first call only notes.
  [[nodiscard]] Held update(const Fabric& fabric, Time now, std::chrono::seconds hold);

 private:
  struct End {
    Guid guid = kNoGuid;
    PortNum port = kNoPort;
    auto operator<=>(const End&) const = default;
  };
  using Link = std::pair<End, End>;  // the lower end first
  using LinkChannels = std::vector<std::pair<Link, ChannelId>>;
  struct Past {
    unsigned losses = 0;
    Time last_change;
  };

  [[nodiscard]] static LinkChannels links_of(const Fabric& fabric);
  void note(const Fabric& fabric, const LinkChannels& links, Time now, std::chrono::seconds hold);
  [[nodiscard]] bool flaps(const Link& link) const;

  bool has_seen_one_ = false;
  std::vector<Link> present_;  // at the last call, ascending
  std::map<Link, Past> past_;  // of links that have changed lately
};

}  // namespace espalier
