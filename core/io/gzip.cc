// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/io/gzip.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

namespace espalier {
namespace {

constexpr int kGzipWindow = 15 + 16;      // zlib.h: the largest window, and gzip's frame
constexpr const char* kGzipMode = "wb3";  // tables shrink by a factor of 20 at level 3 already
constexpr std::size_t kBlock = 1U << 16U;

struct Inflater {
  Inflater() { good = ::inflateInit2(&stream, kGzipWindow) == Z_OK; }
  ~Inflater() { (void)::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream stream{};
  bool good = false;
};

struct GzipCloser {
  void operator()(gzFile_s* file) const { (void)::gzclose(file); }
};

// The stream that `produce` writes to hands its bytes on to zlib.
ssize_t write_block(void* cookie, const char* bytes, std::size_t size) {
  const auto some = static_cast<unsigned>(std::min<std::size_t>(size, 1U << 30U));
  return ::gzwrite(static_cast<gzFile>(cookie), bytes, some);  // 0 is an error for both
}

}  // namespace

bool is_gzip(std::string_view content) { return content.starts_with("\x1f\x8b\x08"); }

Result<std::string> gunzip(std::string_view content, const std::string& file_name, std::uint64_t limit) {
  Inflater inflater;
  if (!inflater.good) return fail_at(file_name, 0, "zlib does not work");
  z_stream& stream = inflater.stream;
  std::string text;
  std::array<char, kBlock> block;
  while (!content.empty()) {
    const std::size_t part = std::min<std::size_t>(content.size(), std::numeric_limits<int>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // zlib does not write there
    stream.avail_in = static_cast<uInt>(part);
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = kBlock;
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    content.remove_prefix(part - stream.avail_in);
    text.append(block.data(), kBlock - stream.avail_out);
    if (text.size() > limit) return fail_at(file_name, 0, fmt::format("larger than {} bytes when decompressed", limit));
    if (state == Z_STREAM_END) {
      if (content.empty()) return text;
      if (!is_gzip(content)) return fail_at(file_name, 0, "something follows the compressed text");
      (void)::inflateReset(&stream);
    } else if (state != Z_OK) {
      return fail_at(file_name, 0, fmt::format("is no sound gzip file: {}", stream.msg ? stream.msg : "damaged"));
    }
  }
  // Input is used up; what is left is in zlib.
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = kBlock;
    const int state = ::inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), kBlock - stream.avail_out);
    if (state == Z_STREAM_END) return text;
    if (state != Z_OK || stream.avail_out == kBlock)
      return fail_at(file_name, 0, "the compressed text is cut off", "copy the file again");
  }
}

Status gzip_into(std::FILE* out, const std::function<Status(std::FILE*)>& produce) {
  const auto failed = [](const char* what) { return fail(fmt::format("cannot {}: {}", what, std::strerror(errno))); };
  if (std::fflush(out) != 0) return failed("write");
  const int descriptor = ::dup(::fileno(out));
  if (descriptor < 0) return failed("write");
  std::unique_ptr<gzFile_s, GzipCloser> gzip(::gzdopen(descriptor, kGzipMode));
  if (!gzip) {
    (void)::close(descriptor);
    return fail("zlib does not work");
  }
  std::FILE* const stream = ::fopencookie(gzip.get(), "w", {nullptr, write_block, nullptr, nullptr});
  if (stream == nullptr) return failed("write");
  Status done = produce(stream);
  const bool flushed = std::fclose(stream) == 0;
  if (!done) return done;
  const bool closed = ::gzclose(gzip.release()) == Z_OK;
  if (!flushed || !closed) return failed("write");
  return {};
}

}  // namespace espalier
