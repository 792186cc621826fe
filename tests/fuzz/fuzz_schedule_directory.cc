// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// A schedule directory in which somebody else has been: names, links and files of any kind. Publishing is refused, or
// gives a new number, a link `current` to a file that says what was published, and touches nothing outside.
//
// The input is a list of entries: a byte for the kind, a byte for the length, the name; the rest of a file's content
// likewise.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/io/file.h"
#include "core/io/schedule/schedule_directory.h"
#include "core/io/schedule/schedule_file.h"
#include "tests/fuzz/expect.h"

namespace {

namespace fs = std::filesystem;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool done() const { return at_ >= size_; }
  std::uint8_t byte() { return done() ? std::uint8_t{0} : data_[at_++]; }
  std::string text() {
    std::string text;
    for (std::size_t left = byte() % 40; left > 0 && !done(); --left) text += static_cast<char>(byte());
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

// One entry of the directory, whose name stays in it.
void plant(const fs::path& directory, Input& input) {
  const std::uint8_t kind = input.byte();
  std::string name = input.text();
  if (kind >= 128) name = espalier::epoch_file_name(name.empty() ? 1 : static_cast<std::uint8_t>(name[0]));
  if (kind % 16 == 0) name = "current";
  if (kind % 16 == 1) name = "current.next";
  if (name.empty() || name == "." || name == ".." || name.find_first_of(std::string("/\0", 2)) != std::string::npos)
    return;
  const fs::path path = directory / name;
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) return;  // not to write through a link planted before
  const std::string content = input.text();
  switch (kind / 16 % 4) {
    case 0:
      std::ofstream(path) << content;
      break;
    case 1:
      fs::create_symlink(content.empty() || content.find('\0') != std::string::npos ? "../precious" : content, path,
                         ignored);
      break;
    case 2:
      (void)::mkfifo(path.c_str(), 0600);
      break;
    default:
      fs::create_directory(path, ignored);
  }
}

espalier::Schedule small_schedule() {
  espalier::Schedule schedule;
  schedule.phases = 1;
  schedule.servers = {espalier::Guid{1}, espalier::Guid{2}};
  schedule.sends = {{1, espalier::Lid{4}}, {0, espalier::Lid{3}}};
  return schedule;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace espalier;
  std::string top = "/tmp/espalier-fuzz-XXXXXX";
  expect(::mkdtemp(top.data()) != nullptr, "no temporary directory");
  std::ofstream(fs::path(top) / "precious") << "precious";
  const fs::path directory = fs::path(top) / "schedules";
  fs::create_directory(directory);
  Input input(data, size);
  while (!input.done()) plant(directory, input);

  const auto epoch = publish_schedule(directory.string(), small_schedule());
  if (epoch) {
    const std::string file = (directory / "current").string();
    const auto content = read_file(file);
    expect(content.has_value(), "no current epoch");
    const auto schedule = read_schedule_file(*content, file);
    Schedule wanted = small_schedule();
    wanted.epoch = *epoch;
    expect(schedule.has_value() && *schedule == wanted, "another schedule");
    expect(fs::read_symlink(file) == epoch_file_name(*epoch), "another file");
  } else {
    expect(!epoch.error().file.empty() && !epoch.error().message.empty(), "an error without file or message");
  }
  expect(read_file((fs::path(top) / "precious").string()) == "precious", "a file outside was changed");
  expect(std::distance(fs::directory_iterator(top), fs::directory_iterator()) == 2, "a file outside was made");
  fs::remove_all(top);
  return 0;
}
