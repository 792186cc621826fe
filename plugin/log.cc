// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/log.h"

#include <algorithm>

#include "core/base/text.h"
#include "plugin/opensm.h"

namespace espalier {
namespace {

// OpenSM formats a line into a buffer of 4 KB together with its time stamp.
constexpr std::size_t kLongestLine = 3500;

void write(osm_opensm& osm, osm_log_level_t level, std::string_view line) {
  if (osm_log_is_active(&osm.log, level) == 0) return;
  std::string text;
  try {
    text = printable(line.substr(0, kLongestLine));
  } catch (...) {
    text = "out of memory";  // short enough to need none
  }
  const int length = static_cast<int>(std::min(text.size(), kLongestLine));
  osm_log(&osm.log, level, "espalier: %.*s\n", length, text.data());
}

}  // namespace

void Log::error(std::string_view line) const noexcept { write(*osm_, OSM_LOG_ERROR, line); }
void Log::info(std::string_view line) const noexcept { write(*osm_, OSM_LOG_INFO, line); }
void Log::verbose(std::string_view line) const noexcept { write(*osm_, OSM_LOG_VERBOSE, line); }

bool Log::dumps_tables() const noexcept { return osm_log_is_active(&osm_->log, OSM_LOG_ROUTING) != 0; }

}  // namespace espalier
