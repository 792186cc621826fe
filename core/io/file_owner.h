// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Who could change a file that a service obeys.
#pragma once

#include <string>

namespace espalier {

// Half a sentence ("can be changed by anyone") when somebody other than root and this process's user may change
// what stands at `path`: the file, or a directory on the way to it, belongs to another user, or may be written by
// others. A sticky directory (/tmp) protects what is in it. Empty: nobody may, or there is no such file.
[[nodiscard]] std::string who_else_may_change(const std::string& path);

}  // namespace espalier
