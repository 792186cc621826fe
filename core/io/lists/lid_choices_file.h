// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// By what weights sources should use the LID offsets of destinations (core/fabric/choices/lid_choices.h), for hosts that
// stripe and for `--lid-offset`.
//
//   0x0002c90100000011 0x0002c90100000021 0:0.25 3:0.75     a pair of port GUIDs: OFFSET:WEIGHT ...
//
// and, before pairs, what many of them share:
//
//   choices 3 2                           classes of sources and of destinations
//   list 1: 0:1 1:4 2:4 3:4               list 0 is offset 0 alone
//   source 2: 0x... 0x...                 the port GUIDs of a source class; those of class 0 may be left out
//   destination 1: 0x...
//   use 2: 1 0*5                          of a source class: the list for each destination class, as N or N*count; once
//
// '#' starts a comment. Pairs that are not named, in a file without `choices`, use offset 0.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/fabric/choices/lid_choices.h"
#include "core/fabric/fabric.h"

namespace espalier {

[[nodiscard]] std::string write_lid_choices(const Fabric& fabric, const LidChoices& choices);

// Of the end ports of `fabric`; GUIDs that it lacks are skipped.
// Errors, with file and line: anything but the above; numbers out of range; a weight that is not above 0.
[[nodiscard]] Result<LidChoices> read_lid_choices(std::string_view text, const std::string& file_name,
                                                  const Fabric& fabric);

// Whether this is such a file, by its first line that says anything.
[[nodiscard]] bool has_lid_choices(std::string_view text);

}  // namespace espalier
