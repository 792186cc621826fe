// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// OpenSM's log for std::string. Every line starts with "espalier: ".
#pragma once

#include <string_view>

extern "C" {
struct osm_opensm;
}

namespace espalier {

class Log {
 public:
  explicit Log(osm_opensm& osm) : osm_(&osm) {}

  void error(std::string_view line) const noexcept;    // what an admin has to act on
  void info(std::string_view line) const noexcept;     // one line per routing run; OpenSM's default level shows it
  void verbose(std::string_view line) const noexcept;  // details

  // Whether OpenSM will dump its tables after this sweep (log flag ROUTING, 0x40).
  [[nodiscard]] bool dumps_tables() const noexcept;

 private:
  osm_opensm* osm_;
};

}  // namespace espalier
