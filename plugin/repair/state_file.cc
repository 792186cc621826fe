// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/state_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/file.h"
#include "core/io/file_owner.h"
#include "core/repair/reference_file.h"

namespace espalier {

std::string state_file(const std::string& directory) { return directory + "/reference"; }

Result<Reference> load_state(const std::string& directory) {
  const std::string path = state_file(directory);
  ESPALIER_TRY(const std::string text, read_file(path, {ReadLimits::Kinds::kRegularFiles, kMaxReferenceSize}));
  if (const std::string who = who_else_may_change(path); !who.empty())
    return fail_at(path, 0, who,
                   "anyone who can write to it controls the routes: give only OpenSM's user write permission there");
  return read_reference(text, path);
}

Status save_state(const std::string& directory, const Reference& reference) {
  static_cast<void>(::mkdir(directory.c_str(), S_IRWXU));  // what is wrong with it, writing tells
  return write_file(state_file(directory), write_reference(reference), WriteTo::kRegularFile);
}

std::uint64_t state_version(const std::string& directory) {
  struct stat status {};
  if (::stat(state_file(directory).c_str(), &status) != 0) return 0;
  const auto nanoseconds = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000U +
                           static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  return mix(mix(nanoseconds, status.st_ino), static_cast<std::uint64_t>(status.st_size)) | 1U;
}

std::string why_foreign(const Reference& reference, const Fabric& fabric, const std::string& engine) {
  // The options may differ, see TableOrigin.
  if (!reference.engine.starts_with(engine + " "))
    return "it was made by another engine, or from other levels of the tree";
  std::size_t known = 0;
  for (const SwitchId s : fabric.switches())
    known += reference.fabric.find_switch(fabric.at(s).guid) != kNoSwitch ? 1 : 0;
  if (known * 2 <= fabric.num_switches())
    return fmt::format("it contains only {} of the {} of this fabric", known,
                       counted(fabric.num_switches(), "switch", "switches"));
  return {};
}

}  // namespace espalier
