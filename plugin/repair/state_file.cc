// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "plugin/repair/state_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/io/file.h"
#include "core/io/file_owner.h"
#include "core/io/system_error.h"
#include "core/repair/file/reference_file.h"

namespace espalier {
namespace {

constexpr const char* kOnlyOurs =
    "anyone who can write to it controls the routes: give only OpenSM's user write permission there";

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

}  // namespace

std::string state_file(const std::string& directory) { return directory + "/reference"; }

Result<Reference> load_state(const std::string& directory) {
  const std::string path = state_file(directory);
  ESPALIER_TRY(const std::string text, read_file(path, {ReadLimits::Kinds::kRegularFiles, kMaxReferenceSize}));
  if (const std::string who = who_else_may_change(path); !who.empty()) return fail_at(path, 0, who, kOnlyOurs);
  return read_reference(text, path);
}

Status save_state(const std::string& directory, const Reference& reference) {
  const std::string path = state_file(directory);
  if (::mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) return system_error("create", directory);
  // It would not be read.
  if (const std::string who = who_else_may_change(directory); !who.empty())
    return fail_at(directory, 0, who, kOnlyOurs);
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && !who_else_may_change(path).empty())
    static_cast<void>(::unlink(path.c_str()));  // a new file would have its mode
  return write_file(path, write_reference(reference), WriteTo::kRegularFile);
}

std::uint64_t state_version(const std::string& directory) {
  struct stat status {};
  if (::stat(state_file(directory).c_str(), &status) != 0) return 0;
  const auto nanoseconds = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000U +
                           static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  return mix(mix(nanoseconds, status.st_ino), static_cast<std::uint64_t>(status.st_size)) | 1U;
}

std::string why_foreign(const Reference& reference, const Fabric& fabric, const std::string& engine, unsigned max_vls) {
  // The options may differ, see TableOrigin. Those of `espalier route --save-reference` are not known: the name is all.
  if (first_word(reference.engine) != first_word(engine))
    return fmt::format("it was made by the engine {}", printable(first_word(reference.engine)));
  if (reference.engine != first_word(engine) && !reference.engine.starts_with(engine + " "))
    return "the levels of its tree were made with other GUIDs in root_guid_file or cn_guid_file of opensm.conf";
  std::size_t known = 0;
  for (const SwitchId s : fabric.switches())
    known += reference.fabric.find_switch(fabric.at(s).guid) != kNoSwitch ? 1 : 0;
  if (known * 2 <= fabric.num_switches())
    return fmt::format("it contains only {} of the {} of this fabric", known,
                       counted(fabric.num_switches(), "switch", "switches"));
  if (reference.lanes && reference.lanes->num_vls() > max_vls)
    return fmt::format("its tables need {}, but links have {}", counted(reference.lanes->num_vls(), "virtual lane"),
                       max_vls);
  return {};
}

}  // namespace espalier
