// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace espalier {
namespace {

struct Closer {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

tl::unexpected<Error> system_error(const char* what, const std::string& path) {
  return fail_at(path, 0, fmt::format("cannot {}: {}", what, std::strerror(errno)));
}

// Lets `produce` write, and brings the bytes as far as the system takes them.
Status fill(File file, const std::string& path, const std::function<Status(std::FILE*)>& produce) {
  if (Status ok = produce(file.get()); !ok) {
    Error error = ok.error();
    if (error.file.empty()) error.file = path;
    return tl::unexpected(std::move(error));
  }
  if (std::fflush(file.get()) != 0) return system_error("write", path);
  if (std::fclose(file.release()) != 0) return system_error("write", path);
  return {};
}

// Where links lead; `path` itself when it does not exist yet.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) return system_error("open", path);
  std::string content;
  struct stat info {};
  if (::fstat(::fileno(file.get()), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
    content.reserve(static_cast<std::size_t>(info.st_size));
  std::array<char, 65536> block;
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), file.get())) > 0;)
    content.append(block.data(), n);
  if (std::ferror(file.get()) != 0) return system_error("read", path);
  return content;
}

Status write_file(const std::string& path, const std::function<Status(std::FILE*)>& produce) {
  struct stat info {};
  const bool exists = ::stat(path.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    File file(std::fopen(path.c_str(), "wb"));
    if (!file) return system_error("open", path);
    return fill(std::move(file), path, produce);
  }

  const std::string target = resolved(path);
  static std::atomic<unsigned> counter{0};
  const std::string temporary = fmt::format("{}.tmp-{}-{}", target, ::getpid(), counter++);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return system_error("create a file beside it", path);
  if (exists) (void)::fchmod(descriptor, info.st_mode & 07777U);

  File file(::fdopen(descriptor, "wb"));
  Status done = fill(std::move(file), path, produce);
  if (done && std::rename(temporary.c_str(), target.c_str()) != 0) done = system_error("rename the new file", path);
  if (!done) (void)::unlink(temporary.c_str());
  return done;
}

Status write_file(const std::string& path, std::string_view content) {
  return write_file(path, [&](std::FILE* out) -> Status {
    if (std::fwrite(content.data(), 1, content.size(), out) != content.size()) return system_error("write", path);
    return {};
  });
}

}  // namespace espalier
