// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A file that gets its name when it is complete. Until then it has none (open(2), O_TMPFILE), so that a writer that is
// killed, or whose disk is full, leaves nothing behind. File systems without such files (NFS) hold it under a temporary
// name, which the destructor removes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace espalier {

class NewFile {
 public:
  // `directory`: a descriptor of the directory that the file is for. `path` is only for messages.
  // Errors: what the system says.
  [[nodiscard]] static Result<NewFile> create(int directory, mode_t mode, std::string path);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  NewFile& operator=(NewFile&&) = delete;

  [[nodiscard]] std::FILE* stream() const { return stream_; }

  enum class Existing : std::uint8_t { kReplaced, kRefused };
  // Completes the file and names it in the directory. A link of that name is replaced, never followed.
  // Errors: what the system says; with kRefused also that the name is taken.
  [[nodiscard]] Status publish(const std::string& name, Existing existing);

 private:
  NewFile(int directory, std::string path) : directory_(directory), path_(std::move(path)) {}
  [[nodiscard]] Status named_as(const std::string& name, Existing existing);
  [[nodiscard]] int link_to(const std::string& name) const;  // 0, or what errno is

  int directory_;
  std::string path_;
  std::string temporary_;  // its name while it has one that is not its own
  std::FILE* stream_ = nullptr;
};

}  // namespace espalier
