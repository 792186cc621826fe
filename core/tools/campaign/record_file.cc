// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/campaign/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/base/text.h"
#include "core/io/export/json_text.h"
#include "core/io/file.h"
#include "core/tools/campaign/record_text.h"
#include "core/tools/command.h"

namespace espalier::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr ReadLimits kLimits{ReadLimits::Kinds::kRegularFiles, kForPerson.bytes};

[[noreturn]] void refuse(const std::string& file, std::string_view what) {
  throw Refused{{fmt::format("{}: {}", what, std::strerror(errno)), file, 0, {}}};
}

}  // namespace

RecordFile::RecordFile(const std::string& path, const std::string& own_name, Access access, const Name& name)
    : path_(path), name_(name) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (fs::is_directory(path, none)) {
    path_ = fs::path(path) / own_name;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      const std::string other = entry.path().string();
      if (entry.path().extension() == ".jsonl" && other != path_)
        (void)read(value_or_refuse(read_file(other, kLimits)), other);
    }
  }
  if (access == Access::kRead) {
    if (fs::exists(path_, none)) (void)read(value_or_refuse(read_file(path_, kLimits)), path_);
    return;
  }
  open();
  read_and_repair();
}

void RecordFile::open() {
  file_ = Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
  if (!file_.is_open()) refuse(path_, errno == ELOOP ? "this is a link" : "cannot open");
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) refuse(path_, "cannot lock");
  throw Refused{{"another process is writing this file", path_, 0,
                 "give each shard its own file, or all of them the same folder"}};
}

void RecordFile::read_and_repair() {
  const std::string text = value_or_refuse(read_open_file(file_.number(), path_, kLimits));
  const std::size_t whole = read(text, path_);
  if (whole == text.size()) return;
  warn(fmt::format("{}: removing {} of an incomplete record", path_, counted(text.size() - whole, "byte")));
  if (::ftruncate(file_.number(), static_cast<off_t>(whole)) != 0) refuse(path_, "cannot shorten");
}

std::size_t RecordFile::read(const std::string& text, const std::string& file) {
  const RecordText found = value_or_refuse(read_records(text, file));
  for (const Json& record : found.records) names_.insert(name_(record));
  return found.whole;
}

void RecordFile::append(const Json& record) {
  if (!write_all(file_, json_text(record) + '\n')) refuse(path_, "cannot write");
  if (::fdatasync(file_.number()) != 0 && errno != EINVAL && errno != EROFS) refuse(path_, "cannot write");
  names_.insert(name_(record));
}

}  // namespace espalier::tools
