// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "core/base/try.h"
#include "core/io/descriptor.h"
#include "core/io/new_file.h"
#include "core/io/system_error.h"

namespace espalier {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

tl::unexpected<Error> too_large(const std::string& path, std::uint64_t limit) {
  return fail_at(path, 0, fmt::format("larger than {} bytes, the most that is read from such a file", limit));
}

// Why a file of this kind is not read; nullptr: it is.
const char* refusal(const struct stat& info, int descriptor, ReadLimits::Kinds kinds) {
  if (S_ISREG(info.st_mode)) return nullptr;
  if (S_ISDIR(info.st_mode)) return "cannot read: Is a directory";
  if (kinds == ReadLimits::Kinds::kRegularFiles) return "is not a regular file";
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || ::isatty(descriptor) == 1) return nullptr;
  return "is a device";
}

Status produce_into(std::FILE* out, const std::string& path, const std::function<Status(std::FILE*)>& produce) {
  Status done = produce(out);
  if (!done && done.error().file.empty()) done.error().file = path;
  return done;
}

// A terminal, a pipe or a device: no content of its own to keep.
Status write_directly(const std::string& path, const std::function<Status(std::FILE*)>& produce) {
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return system_error("open", path);
  if (Status done = produce_into(file.get(), path, produce); !done) return done;
  if (std::fflush(file.get()) != 0) return system_error("write", path);
  if (std::fclose(file.release()) != 0) return system_error("write", path);
  return {};
}

tl::unexpected<Error> no_folder(const std::string& path, const std::string& folder) {
  if (errno == ENOENT) return fail_at(path, 0, fmt::format("there is no folder {}", folder), "create it first");
  if (errno == ENOTDIR) return fail_at(path, 0, fmt::format("{} is no folder", folder));
  return system_error(fmt::format("open the folder {}", folder).c_str(), path);
}

// Where links lead; `path` itself when it does not exist yet.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

Result<std::string> read_open_file(int descriptor, const std::string& path, const ReadLimits& limits) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return system_error("read", path);
  if (const char* why = refusal(info, descriptor, limits.kinds); why != nullptr) return fail_at(path, 0, why);
  std::string content;
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    if (static_cast<std::uint64_t>(info.st_size) > limits.bytes) return too_large(path, limits.bytes);
    content.reserve(static_cast<std::size_t>(info.st_size));
  }
  std::array<char, 65536> block;
  for (;;) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got == 0) return content;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("read", path);
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > limits.bytes) return too_large(path, limits.bytes);
  }
}

Result<std::string> read_file(const std::string& path, const ReadLimits& limits) {
  const bool may_wait = limits.kinds != ReadLimits::Kinds::kRegularFiles;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (may_wait ? 0 : O_NONBLOCK)));
  if (!file.is_open()) return system_error("open", path);
  return read_open_file(file.number(), path, limits);
}

Status write_file(const std::string& path, const std::function<Status(std::FILE*)>& produce, WriteTo to) {
  struct stat info {};
  const bool follow = to == WriteTo::kAnything;
  const bool exists = (follow ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info)) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    if (follow) return write_directly(path, produce);
    return fail_at(path, 0, "is not a regular file", "name another file, or remove the existing one");
  }

  const std::string target = follow ? resolved(path) : path;
  const std::size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : target.substr(0, slash);
  const Descriptor directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return no_folder(path, folder);
  ESPALIER_TRY(NewFile file, NewFile::create(directory.number(), 0666, path));
  if (exists) (void)::fchmod(::fileno(file.stream()), info.st_mode & 07777U);
  if (Status done = produce_into(file.stream(), path, produce); !done) return done;
  return file.publish(target.substr(slash == std::string::npos ? 0 : slash + 1), NewFile::Existing::kReplaced);
}

Status write_file(const std::string& path, std::string_view content, WriteTo to) {
  const auto produce = [&](std::FILE* out) -> Status {
    if (std::fwrite(content.data(), 1, content.size(), out) != content.size()) return system_error("write", path);
    return {};
  };
  return write_file(path, produce, to);
}

}  // namespace espalier
