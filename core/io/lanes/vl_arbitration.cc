// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/lanes/vl_arbitration.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "core/io/lanes/vl_code.h"

namespace espalier {
namespace {

// OpenSM's way to read a number: whatever ends it, one character is skipped.
unsigned long next_number(const char*& text) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 0);
  text = *end == '\0' ? end : end + 1;
  return number;
}

// The set of VLs whose weight is not 0.
std::uint32_t lanes_in(const std::string& text, unsigned entries) {
  std::uint32_t lanes = 0;
  const char* list = text.c_str();
  for (unsigned i = 0; i < entries && *list != '\0'; ++i) {
    const unsigned long vl = next_number(list) % kMostVls;
    if (static_cast<std::uint8_t>(next_number(list)) != 0) lanes |= 1U << vl;
  }
  return lanes;
}

}  // namespace

unsigned served_lanes(const VlArbitration& lists, unsigned low_entries, unsigned high_entries) {
  const std::uint32_t served = lanes_in(lists.low, low_entries) | lanes_in(lists.high, high_entries);
  return static_cast<unsigned>(std::max(std::countr_one(served), 1));
}

}  // namespace espalier
