// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A folder for the files of one run after the other: in the temporary directory, of a name that nobody can know before,
// for its owner alone (mkdtemp), so that another user neither plants files in it nor reads what is written.
//
// Its owner holds a lock on it. What a killed campaign of the same user left behind has none, and goes when the next
// campaign begins.
#pragma once

#include <filesystem>
#include <string>

#include "core/io/descriptor.h"

namespace espalier::tools {

class WorkFolder {
 public:
  // Throws Refused when it cannot be made.
  WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  ~WorkFolder();

  // Its path; what was in it is gone. Throws Refused when something cannot be removed.
  [[nodiscard]] std::string fresh() const;

 private:
  std::filesystem::path path_;
  Descriptor lock_;
};

}  // namespace espalier::tools
