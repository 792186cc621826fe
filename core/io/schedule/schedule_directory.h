// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The directory in which schedules follow one another; its layout stands in core/schedule/client/schedule_layout.h.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/schedule/schedule.h"

namespace espalier {

// "epoch-000000000042.esp".
[[nodiscard]] std::string epoch_file_name(std::uint64_t epoch);

// Makes `schedule` the current one, under a number above those of all epochs in the directory, and returns that number.
// When the current file says the same already, nothing is written and its number is returned. The directory is made
// where it is missing. Errors: what the system says; a directory that is a link, belongs to another user, or in which
// others may write, since they could let us publish, or read, what they like. `current` then still names what it did.
[[nodiscard]] Result<std::uint64_t> publish_schedule(const std::string& directory, Schedule schedule);

}  // namespace espalier
