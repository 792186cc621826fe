// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "tests/tools/run_espalier.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/io/net/net_writer.h"

namespace espalier::test {

EspalierCommand::EspalierCommand() {
  std::string name = (std::filesystem::temp_directory_path() / "espalier-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

EspalierCommand::~EspalierCommand() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Outcome EspalierCommand::run(const std::string& arguments) const {
  const char* const other = std::getenv("ESPALIER_COMMAND");  // in place of the one that was built
  const std::string command = other != nullptr ? other : ESPALIER_COMMAND;
  const std::string line =
      "exec </dev/null; cd '" + folder_.string() + "' && { '" + command + "' " + arguments + "; } >.out 2>.err";
  const int status = std::system(line.c_str());  // NOLINT: the arguments are those of tests
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".out"), read(".err")};
}

std::string EspalierCommand::run_well(const std::string& arguments) const {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 0) << "espalier " << arguments << "\n" << outcome.err << outcome.out;
  return outcome.out;
}

std::string EspalierCommand::refusal_of(const std::string& arguments) const {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 2) << "espalier " << arguments << "\n" << outcome.err << outcome.out;
  return outcome.err;
}

void EspalierCommand::write(const std::string& name, std::string_view content) const {
  std::ofstream(folder_ / name, std::ios::binary) << content;
}

void EspalierCommand::write(const std::string& name, const Fabric& fabric) const { write(name, write_net(fabric)); }

std::string EspalierCommand::read(const std::string& name) const {
  std::ostringstream content;
  content << std::ifstream(folder_ / name, std::ios::binary).rdbuf();
  return content.str();
}

std::map<std::string, std::string> EspalierCommand::files() const {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    const std::string name = entry.path().lexically_relative(folder_);
    if (entry.is_regular_file() && name[0] != '.') all.emplace(name, read(name));
  }
  return all;
}

}  // namespace espalier::test
