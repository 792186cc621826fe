// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Schedules to and from the binary form, whose layout stands in core/schedule/client/schedule_layout.h.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/schedule/schedule.h"

namespace espalier {

// REQUIRES: fewer than 65 536 servers.
[[nodiscard]] std::string write_schedule_file(const Schedule& schedule);

// Errors, with the file's name: anything that is not as the layout says, the checksum included.
[[nodiscard]] Result<Schedule> read_schedule_file(std::string_view content, const std::string& file_name);

// Either form, told apart by the first bytes.
[[nodiscard]] Result<Schedule> read_schedule(std::string_view content, const std::string& file_name);

}  // namespace espalier
