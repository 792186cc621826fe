// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// The reference in state_directory, by which the tables outlive OpenSM. The file format: core/repair/file/reference_file.h.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/repair/reference/reference.h"

namespace espalier {

[[nodiscard]] std::string state_file(const std::string& directory);

// Errors: also a file, or a directory on the way to it, that others than root and OpenSM's user may change.
[[nodiscard]] Result<Reference> load_state(const std::string& directory);

// Whole or not at all; makes the directory where it is missing, for this user alone. Errors: what the system says; also
// what load_state() would refuse.
[[nodiscard]] Status save_state(const std::string& directory, const Reference& reference);

// A number that changes with the file; 0: there is none.
[[nodiscard]] std::uint64_t state_version(const std::string& directory);

// Why a reference that was read is none for this fabric, these tables and links with so many lanes; empty: it is one.
[[nodiscard]] std::string why_foreign(const Reference& reference, const Fabric& fabric, const std::string& engine,
                                      unsigned max_vls);

}  // namespace espalier
