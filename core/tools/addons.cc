// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
#include "core/tools/addons.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/tools/command.h"

namespace espalier::tools {
namespace {

constexpr const char* kProgram = "espalier-models";  // the package is called as the program

constexpr const char* kSubcommand = "throughput";

// As the caller sees us: a link to /proc, and what Linux adds to the name of a program that was replaced, do not
// matter.
std::string beside_ourselves() {
  std::error_code none;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", none);
  return none ? std::string(kProgram) : (own.parent_path() / kProgram).string();
}

// What this process was called with, without its name (proc(5)).
std::vector<std::string> own_arguments() {
  std::vector<std::string> words;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

}  // namespace

void add_addons(CLI::App& app) {
  app.add_subcommand(kSubcommand, "Rates of flows on paths or tables, by linear programs")->group(kModelsGroup);
}

void run_addon(const std::vector<std::string>& arguments) {
  const auto word = std::find_if(arguments.begin(), arguments.end(), [](const auto& a) { return a != "--quiet"; });
  if (word != arguments.end() && *word == kSubcommand) become_models(kSubcommand);
}

void become_models(const std::string& what, const std::string& advice) {
  std::string program = beside_ourselves();
  std::vector<std::string> words = own_arguments();
  words.insert(words.begin(), kProgram);
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  if (errno == ENOENT) ::execvp(kProgram, argv.data());
  if (errno == ENOENT)
    throw Refused{{fmt::format("{} needs the package {}, which is not installed", what, kProgram), {}, 0, advice}};
  throw Refused{{fmt::format("{} needs {}, which cannot be started: {}", what, kProgram, std::strerror(errno)), program,
                 0, fmt::format("install the package {} again", kProgram)}};
}

}  // namespace espalier::tools
