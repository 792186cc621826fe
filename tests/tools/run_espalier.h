// SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
// Runs the built command in a folder of its own, which vanishes with the test.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/fabric/fabric.h"

namespace espalier::test {

struct Outcome {
  int code = -1;  // exit code; -1: killed by a signal
  std::string out;
  std::string err;
};

class EspalierCommand : public ::testing::Test {
 protected:
  EspalierCommand();
  ~EspalierCommand() override;

  // `arguments` as in a shell, whose working folder is the test's.
  [[nodiscard]] Outcome run(const std::string& arguments) const;
  // The same, and the exit code has to be 0. Returns standard output.
  std::string run_well(const std::string& arguments) const;
  // The same where it has to be 2, bad input. Returns standard error.
  [[nodiscard]] std::string refusal_of(const std::string& arguments) const;

  void write(const std::string& name, std::string_view content) const;
  void write(const std::string& name, const Fabric& fabric) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  // All files of the folder and the folders below by path from there, without those that begin with a dot.
  [[nodiscard]] std::map<std::string, std::string> files() const;
  void make_folder(const std::string& name) const { std::filesystem::create_directory(folder_ / name); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

 private:
  std::filesystem::path folder_;
};

}  // namespace espalier::test
