// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/file_owner.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

namespace espalier {
namespace {

// About one file or directory.
std::string who_may_write(const struct stat& info) {
  if (info.st_uid != 0 && info.st_uid != ::geteuid()) return fmt::format("belongs to user {}", info.st_uid);
  if ((info.st_mode & S_IFMT) == S_IFDIR && (info.st_mode & S_ISVTX) != 0) return {};
  if ((info.st_mode & S_IWOTH) != 0) return "can be changed by anyone";
  if ((info.st_mode & S_IWGRP) != 0 && info.st_gid != 0) return fmt::format("can be changed by group {}", info.st_gid);
  return {};
}

}  // namespace

std::string who_else_may_change(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  if (!real) return {};
  std::string at = real.get();
  for (bool is_file = true;; is_file = false) {
    struct stat info {};
    if (::stat(at.c_str(), &info) != 0) return {};
    if (const std::string who = who_may_write(info); !who.empty())
      return is_file ? who : fmt::format("is in {}, which {}", at, who);
    if (at == "/") return {};
    at.resize(std::max<std::size_t>(at.rfind('/'), 1));
  }
}

}  // namespace espalier
