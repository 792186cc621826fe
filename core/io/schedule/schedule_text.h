// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Schedules as text, for people and scripts:
//
//   # espalier schedule
//   # epoch 3
//   # phases 360
//   # bound 360
//   # mode block
//   # lmc 0
//   # servers 360
//   0 0x0000000000200001 0x0000000000200015 57
//
// After the header one line per flow: phase (from 0), port GUID of the source, port GUID of the destination, LID to
// send to. Phases ascend, then sources. Who has no line in a phase rests.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/schedule/schedule.h"

namespace espalier {

[[nodiscard]] std::string write_schedule_text(const Schedule& schedule);

// Servers are those that occur. Header lines may be missing: then phases is one more than the last phase, and the rest
// as in an empty Schedule. Other #-remarks and blank lines are free.
// Errors, with file and line: a line of another form, two sends of one server in a phase, a phase beyond the header's.
[[nodiscard]] Result<Schedule> read_schedule_text(std::string_view text, const std::string& file_name);

}  // namespace espalier
