// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Asks for memory before it is needed. Events of a cycle touch a network of many megabytes at random; but which lines
// they touch is known before, so that the wait for one overlaps with the work on others.
#pragma once

namespace espalier::packets {

template <class T>
void prefetch(const T& object) {
  __builtin_prefetch(&object, 1, 3);
}

// How many events ahead: of the event's own record, and of what that leads to.
inline constexpr unsigned kFar = 16;
inline constexpr unsigned kNear = 8;

}  // namespace espalier::packets
