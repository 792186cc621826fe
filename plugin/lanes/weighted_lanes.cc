// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/lanes/weighted_lanes.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "plugin/opensm.h"

namespace espalier {
namespace {

// OpenSM's way to read a number: whatever ends it, one character is skipped.
unsigned long next_number(const char*& text) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 0);
  text = *end == '\0' ? end : end + 1;
  return number;
}

// "VL:WEIGHT,...": the set of VLs whose weight is not 0.
std::uint32_t lanes_in(const char* list) {
  constexpr unsigned kEntries = 64;  // of a VL arbitration table
  constexpr unsigned kVls = 15;
  std::uint32_t lanes = 0;
  for (unsigned i = 0; i < kEntries && *list != '\0'; ++i) {
    const unsigned long vl = next_number(list) % kVls;
    if (static_cast<std::uint8_t>(next_number(list)) != 0) lanes |= 1U << vl;
  }
  return lanes;
}

}  // namespace

unsigned weighted_lanes(const osm_opensm& osm) {
  const osm_qos_options_t& own = osm.subn.opt.qos_swe_options;
  const osm_qos_options_t& all = osm.subn.opt.qos_options;
  const auto lanes = [](const char* first, const char* second, const char* otherwise) {
    return lanes_in(first != nullptr ? first : second != nullptr ? second : otherwise);
  };
  const std::uint32_t served = lanes(own.vlarb_low, all.vlarb_low, OSM_DEFAULT_QOS_VLARB_LOW) |
                               lanes(own.vlarb_high, all.vlarb_high, OSM_DEFAULT_QOS_VLARB_HIGH);
  return static_cast<unsigned>(std::max(std::countr_one(served), 1));
}

}  // namespace espalier
